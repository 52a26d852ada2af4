import { afterEach, describe, expect, it } from 'vitest';
import { type Given, type Got, type World, world } from '../fixtures/world.ts';

const METADATA = 'http://169.254.169.254/latest';
const ROLE = `${METADATA}/meta-data/iam/security-credentials/`;
const CREDENTIALS = {
  Code: 'Success',
  AccessKeyId: 'ASIAEXAMPLE',
  SecretAccessKey: 's3cr3t-key',
  Token: 'session-token',
};

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

/** An instance with a role, before services that answer so. */
async function instance(service: (got: Got) => Given, metadata: Record<string, Given> = {}): Promise<World> {
  const standard: Record<string, Given> = {
    [`${METADATA}/api/token`]: { body: 'imds-token' },
    [`${METADATA}/meta-data/placement/region`]: { body: 'eu-west-1' },
    [ROLE]: { body: 'node-role' },
    [`${ROLE}node-role`]: { body: CREDENTIALS },
    ...metadata,
  };
  made = await world((got) => standard[got.url] ?? service(got));
  return made;
}

const failing = (status: number, type: string) => (): Given => ({
  status,
  body: { __type: type, message: 'no' },
});

describe('stores of AWS (what moto does not say is as the documentation does)', () => {
  it('asks with the role of the instance, by the metadata service of version 2', async () => {
    const { read, got } = await instance(() => ({
      body: { SecretBinary: Buffer.from('bytes').toString('base64') },
    }));
    expect(await read('aws-secretsmanager:///a/b?version-stage=AWSPREVIOUS')).toBe('bytes');
    expect(got[0]).toMatchObject({ method: 'PUT', url: `${METADATA}/api/token` });
    expect(got[1]?.headers['x-aws-ec2-metadata-token']).toBe('imds-token');
    const { url, headers, body } = got.at(-1) ?? { url: '', headers: {}, body: '' };
    expect(url).toBe('https://secretsmanager.eu-west-1.amazonaws.com/');
    expect(headers).toMatchObject({
      'x-amz-target': 'secretsmanager.GetSecretValue',
      'x-amz-security-token': 'session-token',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE\/\d{8}\/eu-west-1\/secretsmanager\/aws4_request, /,
      ),
    });
    expect(JSON.parse(body)).toEqual({ SecretId: 'a/b', VersionStage: 'AWSPREVIOUS' });
  });

  it.each([
    ['aws-ssm:///a/b', '/a/b'],
    ['aws-ssm:///b', 'b'],
    ['aws-ssm:///%2Fb', '/b'],
    ['aws-ssm://cn-north-1/arn:aws-cn:ssm:x:1:parameter/b', 'arn:aws-cn:ssm:x:1:parameter/b'],
  ])('names the parameter of %s', async (address, name) => {
    const { read, got } = await instance(() => ({ body: { Parameter: { Value: 'v' } } }));
    expect(await read(address)).toBe('v');
    expect(JSON.parse(got.at(-1)?.body ?? '')).toEqual({ Name: name, WithDecryption: true });
    expect(got.at(-1)?.url).toMatch(
      address.includes('cn-') ? /amazonaws\.com\.cn\/$/ : /eu-west-1\.amazonaws\.com\/$/,
    );
  });

  it('gets credentials anew, once, where they have ended', async () => {
    const answers = [failing(400, 'ExpiredTokenException')(), { body: { SecretString: 'x' } }];
    const { read, got } = await instance(() => answers.shift() ?? {});
    expect(await read('aws-secretsmanager:///a')).toBe('x');
    expect(got.filter(({ url }) => url === `${ROLE}node-role`)).toHaveLength(2);
  });

  it.each<[string, (got: Got) => Given, string, RegExp]>([
    [
      'no right',
      failing(400, 'AccessDeniedException'),
      'SecretDenied',
      /AccessDeniedException \(status 400\)/,
    ],
    ['expired twice', failing(400, 'ExpiredTokenException'), 'SecretDenied', /ExpiredToken/],
    ['a wrong clock', failing(400, 'InvalidSignatureException'), 'SecretDenied', /clock/],
    [
      'no secret',
      failing(400, 'com.amazonaws#ResourceNotFoundException'),
      'SecretNotFound',
      /ResourceNotFound/,
    ],
    [
      'a secret that is going',
      failing(400, 'InvalidRequestException'),
      'SecretNotFound',
      /scheduled for deletion/,
    ],
    ['throttling', failing(400, 'ThrottlingException'), 'SecretStoreUnreachable', /Throttling/],
    ['429', failing(429, ''), 'SecretStoreUnreachable', /429/],
    ['5xx', failing(500, 'InternalServiceError'), 'SecretStoreUnreachable', /500/],
    [
      'a cut answer',
      () => ({ body: { SecretString: 'x' }, cut: true }),
      'SecretStoreUnreachable',
      /does not answer/,
    ],
    ['half of the JSON', () => ({ body: '{"SecretStr' }), 'SecretStoreUnreachable', /truncated/],
    [
      'a redirect',
      () => ({ status: 301, headers: { location: 'https://evil.example' } }),
      'SecretDenied',
      /redirects/,
    ],
  ])('says what %s means', async (_, answer, code, cause) => {
    const { read, got } = await instance(answer);
    const failed = await read('aws-secretsmanager:///a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, message: expect.stringMatching(cause) });
    expect(String(failed)).not.toMatch(/s3cr3t|session-token/);
    expect(got.some(({ url }) => url.includes('evil'))).toBe(false);
  });

  it.each<[string, Record<string, Given>, string]>([
    ['has no IAM role', { [ROLE]: { status: 404 } }, 'SecretDenied'],
    ['has its metadata service switched off', { [`${METADATA}/api/token`]: { status: 403 } }, 'SecretDenied'],
    [
      'gets no credentials',
      { [`${ROLE}node-role`]: { body: { Code: 'AssumeRoleUnauthorizedAccess' } } },
      'SecretDenied',
    ],
    ['gets half of them', { [`${ROLE}node-role`]: { body: '{"Code' } }, 'SecretStoreUnreachable'],
  ])('says that an instance %s', async (_, metadata, code) => {
    const { read } = await instance(() => ({}), metadata);
    await expect(read('aws-ssm:///a')).rejects.toMatchObject({ code });
  });

  it('deletes for good', async () => {
    const { remove, got } = await instance(() => ({ body: {} }));
    await remove('aws-secretsmanager:///a?delete=true');
    expect(JSON.parse(got.at(-1)?.body ?? '')).toEqual({ SecretId: 'a', ForceDeleteWithoutRecovery: true });
  });
});
