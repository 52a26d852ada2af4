import { textAt } from '../../../kit/json.ts';
import type { HttpResponse } from '../../host/network.ts';
import { accessToken, readFromMetadata } from '../../platform/credentials/cloud-token.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { Store, StoreContext } from '../contract/store.ts';
import { once } from '../contract/store.ts';
import { StoreClient } from '../contract/store-client.ts';
import type { StoredReference } from '../reference/reference.ts';

const ORIGIN = 'https://secretmanager.googleapis.com';
const CALLED = 'GCP Secret Manager';
const METADATA = 'the metadata service of GCP';
const TREE = '/computeMetadata/v1';
const ASK = { headers: { 'metadata-flavor': 'Google' } };

/** GCP Secret Manager, with the machine's service account. */
export function openSecretManager(context: StoreContext): Store {
  const { host } = context;
  const client = new StoreClient(context, CALLED, ORIGIN);
  const own = once(() => readFromMetadata(host, METADATA, `${TREE}/project/project-id`, ASK));
  const token = once(async () =>
    accessToken(
      await readFromMetadata(host, METADATA, `${TREE}/instance/service-accounts/default/token`, ASK),
      METADATA,
    ),
  );
  const send = async (method: 'GET' | 'DELETE', reference: StoredReference): Promise<unknown> => {
    const [secret = '', version = 'latest'] = reference.name.split('/');
    const project = reference.authority || (await own.get()).trim();
    const path = ['v1', 'projects', project, 'secrets', secret].map(encodeURIComponent).join('/');
    const whole = method === 'GET' ? `${path}/versions/${encodeURIComponent(version)}:access` : path;
    for (let isFirst = true; ; isFirst = false) {
      const headers = { authorization: `Bearer ${await token.get()}` };
      const answer = await client.send({ method, path: `/${whole}`, headers });
      if (answer.status === 200) return client.json(answer);
      // It may have ended on the way.
      if (answer.status === 401 && isFirst) token.forget();
      else throw refusal(answer, client);
    }
  };
  return {
    async read(reference) {
      const { payload } = ((await send('GET', reference)) ?? {}) as { payload?: unknown };
      const data = textAt(payload, 'data');
      if (data === undefined)
        throw new SecretError('SecretNotFound', 'GCP returned the version without a payload');
      const bytes = Buffer.from(data, 'base64');
      const sum = textAt(payload, 'dataCrc32c');
      if (sum !== undefined && sum !== String(crc32c(bytes)))
        throw client.unreachable('returned a payload that does not match its checksum');
      return bytes;
    },
    async remove(reference) {
      await send('DELETE', reference);
    },
    close: async () => client.close(),
  };
}

/** A version that is disabled or destroyed is FAILED_PRECONDITION (400). */
function refusal(answer: HttpResponse, client: StoreClient): SecretError {
  const status = textAt((client.json(answer) as { error?: unknown } | null)?.error, 'status') ?? '';
  const said = `${CALLED} answers ${status.replace(/\W/g, '').slice(0, 60) || 'without a code'} (status ${answer.status})`;
  const isAbsent = answer.status === 404 || status === 'FAILED_PRECONDITION';
  return new SecretError(isAbsent ? 'SecretNotFound' : 'SecretDenied', said);
}

/** Castagnoli's polynomial, reflected. */
const POLYNOMIAL = 0x82f63b78;

/** CRC-32C (RFC 3720, appendix B.4). */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}
