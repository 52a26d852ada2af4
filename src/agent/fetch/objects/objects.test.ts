import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import { type Given, type Got, type World, world } from '../../stores/fixtures/world.ts';
import { fetchBytes } from '../fetch.ts';
import { readObjectAddress } from './address.ts';

const METADATA = 'http://169.254.169.254';
const ROLE = `${METADATA}/latest/meta-data/iam/security-credentials/`;
const EC2: Record<string, Given> = {
  [`${METADATA}/latest/api/token`]: { body: 'imds-token' },
  [`${METADATA}/latest/meta-data/placement/region`]: { body: 'eu-west-1' },
  [ROLE]: { body: 'node-role' },
  [`${ROLE}node-role`]: {
    body: { Code: 'Success', AccessKeyId: 'ASIA', SecretAccessKey: 's3cr3t', Token: 'session' },
  },
};
const GS_TOKEN = `${METADATA}/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/devstorage.read_only`;

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

async function machine(
  standard: Record<string, Given>,
  server: (got: Got) => Given,
  product?: string,
): Promise<(url: string) => Promise<string>> {
  await made?.close();
  made = await world((got) => standard[got.url] ?? server(got));
  const { host, root } = made;
  mkdirSync(join(root, 'sys/class/dmi/id'), { recursive: true });
  const uuid = ROLE in standard ? 'ec2f1b0e-5c2d-11ec-8000-3cecef9a1b2c' : '';
  writeFileSync(join(root, 'sys/class/dmi/id/product_uuid'), `${uuid}\n`);
  if (product) writeFileSync(join(root, 'sys/class/dmi/id/product_name'), `${product}\n`);
  return async (url) => {
    const remote = { url: sensitive(url), headers: [], isCompressed: false };
    return (await fetchBytes(host, remote, { authorities: [] }, 1000)).toString();
  };
}
const NO_ROLE = { ...EC2, [ROLE]: { status: 404 } };
const inRegion =
  (region: string, body: Given) =>
  (got: Got): Given =>
    got.method === 'HEAD' ? { status: 403, headers: { 'x-amz-bucket-region': region } } : body;
const asked = () => made?.got.at(-1) ?? { url: '', headers: {} as Record<string, string> };

describe('objects of S3', () => {
  it.each([
    ['s3://my-bucket/a/b c', 'https://my-bucket.s3.dualstack.sa-east-1.amazonaws.com/a/b%20c'],
    [
      's3://my-bucket//a?versionId=v+1',
      'https://my-bucket.s3.dualstack.sa-east-1.amazonaws.com/a?versionId=v%201',
    ],
    ['s3://with.dots/a', 'https://s3.dualstack.sa-east-1.amazonaws.com/with.dots/a'],
    ['arn:aws:s3:::my-bucket/a/b', 'https://my-bucket.s3.dualstack.sa-east-1.amazonaws.com/a/b'],
  ])('asks for %s in the region of its bucket, by the role of the instance', async (url, place) => {
    const get = await machine(EC2, inRegion('sa-east-1', { body: 'content' }));
    expect(await get(url)).toBe('content');
    expect(asked().url).toBe(place);
    expect(asked().headers).toMatchObject({
      'x-amz-security-token': 'session',
      'x-amz-content-sha256': expect.stringMatching(/^e3b0c442/),
      authorization: expect.stringMatching(/Credential=ASIA\/\d{8}\/sa-east-1\/s3\/aws4_request, /),
    });
    expect(made?.got.find(({ method }) => method === 'HEAD')?.url).toContain('.eu-west-1.');
  });

  it('knows access points and other partitions by their ARN', async () => {
    const get = await machine(EC2, () => ({ body: 'x' }));
    await get('arn:aws:s3:us-west-2:123456789012:accesspoint/mine/object/a/b');
    expect(asked().url).toBe(
      'https://mine-123456789012.s3-accesspoint.dualstack.us-west-2.amazonaws.com/a/b',
    );
    const anybody = await machine(NO_ROLE, inRegion('cn-north-1', { body: 'x' }));
    await anybody('arn:aws-cn:s3:::bucket/a');
    expect(asked().url).toBe('https://bucket.s3.dualstack.cn-north-1.amazonaws.com.cn/a');
    expect(asked().headers.authorization).toBeUndefined();
  });

  it('asks as anybody without a role, and says so where that is not enough', async () => {
    const get = await machine(NO_ROLE, inRegion('eu-west-1', { status: 403 }));
    await expect(get('s3://bucket/a')).rejects.toMatchObject({
      message: expect.stringMatching(
        /status 403 \(requested without credentials: this instance has no IAM role/,
      ),
      refused: true,
    });
    const starting = await machine(
      { ...EC2, [`${ROLE}node-role`]: { body: '{"Code' } },
      inRegion('eu-west-1', { status: 403 }),
    );
    await expect(starting('s3://bucket/a')).rejects.toMatchObject({ refused: false });
  });

  it('asks once whether it has a role where nothing shows that it is one of EC2', async () => {
    const get = await machine({}, (got) =>
      got.url.startsWith(METADATA) || got.url.startsWith('http://[fd00:ec2::254]')
        ? { cut: true }
        : inRegion('eu-west-1', got.url.endsWith('/a') ? { body: 'x' } : { status: 403 })(got),
    );
    let now = 0;
    Object.assign(made?.host.clock ?? expect.fail(), { monotonic: () => (now += 100) });
    const roles = () => made?.got.filter(({ url }) => url.includes('/latest/')).length;
    expect(await get('s3://bucket/a')).toBe('x');
    const before = roles();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(60);
    expect(await get('s3://bucket/a')).toBe('x');
    await expect(get('s3://bucket/b')).rejects.toMatchObject({
      message: expect.stringMatching(/status 403 .*nothing shows that this is EC2/),
      refused: true,
    });
    expect(roles()).toBe(before);
  });

  it.each<[string, Given, boolean, RegExp]>([
    ['no bucket', { status: 404 }, true, /names a bucket that does not exist/],
    [
      'an object that is not there',
      { status: 404, headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      true,
      /404/,
    ],
    [
      'a server with too much to do',
      { status: 503, headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      false,
      /503/,
    ],
  ])('tells %s', async (_, answer, refused, message) => {
    const get = await machine(EC2, () => answer);
    const failed = await get('s3://bucket/a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ refused, message: expect.stringMatching(message) });
    expect(String(failed)).not.toMatch(/s3cr3t|session/);
  });

  it('lets no region of a stranger lead to another server', async () => {
    const get = await machine(EC2, inRegion('evil.example/', { body: 'x' }));
    await get('s3://bucket/a');
    expect(asked().url).toBe('https://bucket.s3.dualstack.eu-west-1.amazonaws.com/a');
  });
});

describe('objects of Google Cloud Storage', () => {
  const place = 'https://storage.googleapis.com/storage/v1/b/bucket/o/a%2Fb?alt=media';

  it('asks with the token of the service account, on a machine of GCE', async () => {
    const get = await machine(
      { [GS_TOKEN]: { body: { access_token: 't0ken' } } },
      () => ({ body: 'x' }),
      'Google Compute Engine',
    );
    expect(await get('gs://bucket/a/b')).toBe('x');
    expect(asked()).toMatchObject({ url: place, headers: { authorization: 'Bearer t0ken' } });
  });

  it('asks as anybody elsewhere, and where there is no account', async () => {
    const get = await machine({}, () => ({ body: 'x' }));
    await get('gs://bucket/a/b');
    expect(made?.got.map(({ url }) => url)).toEqual([place]);
    const without = await machine(
      { [GS_TOKEN]: { status: 404 } },
      () => ({ status: 401 }),
      'Google Compute Engine',
    );
    await expect(without('gs://bucket/a/b')).rejects.toMatchObject({
      message: expect.stringMatching(
        /status 401 \(requested without credentials: the metadata service of GCP provides/,
      ),
    });
  });
});

it.each([
  's3://bucket',
  's3://bucket/',
  's3:///key',
  's3://evil.example:80/key',
  's3://user@bucket/key',
  's3://bucket/a/../b',
  's3://bucket/%2e%2E/b',
  's3://with.dots/a%2f..%2f..%2fother-bucket/b',
  's3://bucket/%zz',
  'arn:aws:sqs:::bucket/key',
  'arn:aws:s3:::bucket',
  'arn:aws:s3:::evil.example#/key',
  'arn:aws:s3:evil.example/:1:accesspoint/a/object/b',
  'arn:aws:s3:us-west-2:1:accesspoint/a.b/object/c',
  'gs://bucket/.',
])('takes %s for no object', (url) => {
  expect(readObjectAddress(url)).toHaveProperty('problem');
});
