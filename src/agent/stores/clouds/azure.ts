import { textAt } from '../../../kit/json.ts';
import type { HttpResponse } from '../../host/network.ts';
import { accessToken, readFromMetadata } from '../../platform/credentials/cloud-token.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { Store, StoreContext } from '../contract/store.ts';
import { once } from '../contract/store.ts';
import { StoreClient } from '../contract/store-client.ts';
import type { StoredReference } from '../reference/reference.ts';

const METADATA = 'the metadata service of Azure';
const PUBLIC_CLOUD = '.vault.azure.net';
const API = 'api-version=7.4';
/** The service learns of identities late: these pass. */
const PASSING = [404, 410];

/** Azure Key Vault, with the machine's managed identity. */
export function openKeyVault(context: StoreContext): Store {
  const clients = new Map<string, StoreClient>();
  const tokens = new Map<string, ReturnType<typeof once<string>>>();
  const send = async (reference: StoredReference, method: 'GET' | 'DELETE'): Promise<unknown> => {
    const { authority, name } = reference;
    const host = authority.includes('.') ? authority : `${authority}${PUBLIC_CLOUD}`;
    const client =
      clients.get(host) ?? new StoreClient(context, `Azure Key Vault ${host}`, `https://${host}`);
    clients.set(host, client);
    const resource = `https://${host.slice(host.indexOf('.') + 1)}`;
    const token = tokens.get(resource) ?? once(() => tokenFor(context, resource));
    tokens.set(resource, token);
    const path = `/secrets/${(method === 'GET' ? name : (name.split('/', 1)[0] ?? '')).split('/').map(encodeURIComponent).join('/')}?${API}`;
    for (let isFirst = true; ; isFirst = false) {
      const answer = await client.send({
        method,
        path,
        headers: { authorization: `Bearer ${await token.get()}` },
      });
      if (answer.status === 200) return client.json(answer);
      // It may have ended on the way.
      if (answer.status === 401 && isFirst) token.forget();
      else throw refusal(host, answer, client);
    }
  };
  return {
    async read(reference) {
      const value = textAt(await send(reference, 'GET'), 'value');
      if (value === undefined)
        throw new SecretError('SecretNotFound', 'Azure returned the secret without a value');
      return Buffer.from(value);
    },
    async remove(reference) {
      await send(reference, 'DELETE');
    },
    close: async () => {
      for (const client of clients.values()) client.close();
    },
  };
}

async function tokenFor({ host, spec }: StoreContext, resource: string): Promise<string> {
  const { clientId } = spec.settings.azure ?? {};
  const query = new URLSearchParams({
    'api-version': '2018-02-01',
    resource,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
  const ask = { headers: { metadata: 'true' }, passing: PASSING, absent: [400] };
  return accessToken(
    await readFromMetadata(host, METADATA, `/metadata/identity/oauth2/token?${query}`, ask),
    METADATA,
  );
}

function refusal(host: string, answer: HttpResponse, client: StoreClient): SecretError {
  const code = textAt((client.json(answer) as { error?: unknown } | null)?.error, 'code') ?? '';
  const said = `Azure Key Vault ${host} answers ${code.replace(/\W/g, '').slice(0, 60) || 'without a code'} (status ${answer.status})`;
  return new SecretError(answer.status === 404 ? 'SecretNotFound' : 'SecretDenied', said);
}
