import { expect, it } from 'vitest';
import { readUserData } from '../read-user-data.ts';
import { capaUserData } from './fixtures/capa.ts';

const read = (text: string) => readUserData(Buffer.from(text), { metaData: {}, source: 'test' });

it("knows the default user data of Cluster API's AWS provider", async () => {
  const { chunked, report } = await read(capaUserData({ prefix: 'aws.cluster.x-k8s.io/1-2', chunks: 2 }));
  expect(chunked).toEqual({
    references: [0, 1].map((n) => `aws-secretsmanager://eu-west-1/aws.cluster.x-k8s.io/1-2-${n}?delete=true`),
    isBase64: false,
    file: '/etc/secret-userdata.txt',
  });
  expect(report).toEqual([expect.objectContaining({ severity: 'warning', code: 'UserDataSealed' })]);
});

it('knows them with the Parameter Store, and with an endpoint of its own', async () => {
  const given = {
    service: 'ssm',
    prefix: '/aws.cluster.x-k8s.io/x',
    endpoint: 'https://vpce.example',
  } as const;
  expect((await read(capaUserData(given))).chunked).toMatchObject({
    references: ['aws-ssm://eu-west-1/aws.cluster.x-k8s.io/x/0?delete=true'],
    isBase64: true,
    endpoint: 'https://vpce.example',
  });
});

it.each([
  ['a name that a shell would work out', { prefix: '$(id)' }],
  ['no pieces', { chunks: 0 }],
  ['an address of another file', { include: 'file:///etc/passwd' }],
  ['a second address', { include: 'file:///etc/secret-userdata.txt\nhttps://elsewhere.example' }],
])('takes %s for no such thing', async (_, given) => {
  expect((await read(capaUserData(given))).chunked).toBeUndefined();
});
