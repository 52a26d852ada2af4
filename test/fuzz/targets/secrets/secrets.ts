import { SecretError } from '../../../../src/agent/platform/credentials/secret-error.ts';
import { SecretStores } from '../../../../src/agent/stores/open-stores.ts';
import {
  displayAddress,
  isSecretReference,
  readReference,
} from '../../../../src/agent/stores/reference/reference.ts';
import { sensitive } from '../../../../src/secrets/sensitive.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';

const TOKEN = 'hvs.token-of-the-case';
const IDENTITY = 'AGE-SECRET-KEY-13MC67SF7PLHZ6W9FKT7A3E0SYEYF5LZ0M3T3UMAC9G8278N2VDNSH8YKLR';
const SETTINGS = {
  vault: { address: 'https://vault.example', tokenFile: '/token' },
  aws: { region: 'eu-west-1' },
};
const REFERENCES = [
  'vault:///secret/data/a?field=b',
  `vault-wrapped:///secret/data/a?token=${TOKEN}`,
  'aws-secretsmanager:///a',
  'aws-ssm:///a?encoding=base64',
  'azure-keyvault://v/a',
  'gcp-secretmanager://p/a',
];
const HOSTS =
  /^(?:http:\/\/(?:169\.254\.169\.254|\[fd00:ec2::254\])|https:\/\/(?:vault\.example|(?:secretsmanager|ssm)\.eu-west-1\.amazonaws\.com|v\.vault\.azure\.net|secretmanager\.googleapis\.com))\//;

/** What a store, or whoever stands in its place, answers. */
export const secretAnswers: Target = {
  name: 'secret-answers',
  corpus: () =>
    [
      { data: { data: { b: 'v' }, metadata: { version: 1 } } },
      { data: { creation_path: 'secret/data/a' } },
      {
        SecretString: 'v',
        Parameter: { Value: 'dg==' },
        Code: 'Success',
        AccessKeyId: 'a',
        SecretAccessKey: 'b',
        Token: 'c',
      },
      { access_token: 't', value: 'v', payload: { data: 'dg==', dataCrc32c: '1' } },
      {
        __type: 'x#AccessDeniedException',
        error: { code: 'Forbidden', status: 'NOT_FOUND' },
        errors: ['permission denied'],
      },
    ].map((body) => Buffer.from(JSON.stringify(body))),
  dictionary: ['"errors":[', '"data":', 'null', '"__type":', '"payload":', '__proto__'],
  async run(bytes) {
    const answers: unknown[] = [];
    for (const status of [200, 403])
      for (const address of REFERENCES) answers.push(await had(address, bytes, status));
    return answers;
  },
};

async function had(address: string, bytes: Buffer, status: number): Promise<unknown> {
  const host = memoryHost({ '/token': TOKEN }, (url) => {
    must(HOSTS.test(url), 'an answer sends nobody to another host');
    return { status, body: bytes.toString('utf8'), headers: { location: 'https://evil.example/' } };
  });
  const stores = new SecretStores({ host, spec: { settings: SETTINGS } });
  try {
    return (await stores.read({ url: sensitive(address), isCompressed: false })).toString('base64');
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    must(!error.message.includes(TOKEN), 'a message holds no token');
    return error.code;
  } finally {
    await stores.close();
  }
}

/** What lies encrypted somewhere, and references themselves. */
export const sealedSecrets: Target = {
  name: 'sealed-secrets',
  corpus: () => [
    Buffer.from(
      'age-encryption.org/v1\n-> X25519 6q9cxeZ6bWmlxOjYaOKZ6IVfBAmpMsNTW8j/ZLXHYkM\nNaRguF8PxfgsFChv7CicB3oumh5Ys4px5wIJngxNyzs\n--- x\n',
    ),
    Buffer.from('-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n'),
    Buffer.from(
      `${Buffer.from('{"alg":"ECDH-ES","enc":"A256GCM","kid":"a","clevis":{"pin":"tang","tang":{"adv":{"keys":[]},"url":"http://t"}}}').toString('base64url')}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
    ),
    Buffer.from('vault-wrapped:///a/b?token=hvs.x&field=c'),
    Buffer.from('age+https://u:p@a.example/x?sig=y'),
    Buffer.from('azure-keyvault://v.vault.azure.net/a%20b/c#d'),
  ],
  dictionary: ['-> ', '--- ', 'X25519', '?token=', 'delete=true', '+data:', '%2e%2e/', '://'],
  async run(bytes) {
    const address = bytes.toString('utf8');
    const read = isSecretReference(address) ? readReference(address) : undefined;
    if (read && 'kind' in read && read.kind === 'stored') {
      must(!/(?:^|\/)\.\.(?:\/|$)/.test(read.name), 'a name leads to no other path');
      must(!displayAddress(address).includes('token='), 'a token is not shown');
    }
    const host = memoryHost({ '/etc/slipway/age.key': IDENTITY, '/sealed': bytes }, () => ({
      status: 404,
      body: '',
    }));
    const stores = new SecretStores({ host, spec: { settings: SETTINGS } });
    const codes: unknown[] = [read && 'problem' in read];
    for (const opener of ['age', 'jwe']) {
      try {
        const secret = await stores.read({ url: sensitive(`${opener}+file:///sealed`), isCompressed: false });
        codes.push(secret.length);
      } catch (error) {
        if (!(error instanceof SecretError)) throw error;
        codes.push(error.code);
      }
    }
    return codes;
  },
};
