import { at } from '../../../kit/json.ts';
import type { VaultSettings } from '../../document/node-settings.ts';
import type { HttpClientOptions } from '../../host/network.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import { readMachineFile } from '../contract/machine-file.ts';
import type { StoreContext } from '../contract/store.ts';
import { StoreClient } from '../contract/store-client.ts';

const MOST_FILE_BYTES = 64 * 1024;

interface Call {
  token?: string;
  body?: Record<string, unknown>;
}

export interface VaultClient {
  /**
   * One request to `/v1/PATH`, its JSON or undefined where it has none.
   * @throws SecretError
   */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, call: Call): Promise<unknown>;
  close(): void;
}

/** @throws SecretError, HostError for the machine's certificate */
export async function vaultClient(context: StoreContext, settings: VaultSettings): Promise<VaultClient> {
  const { address, namespace, ca, certificate } = settings;
  const own: HttpClientOptions = certificate
    ? {
        certificate: await textOf(context, certificate.certificateFile),
        key: await textOf(context, certificate.keyFile),
      }
    : {};
  const called = `Vault at ${new URL(address).origin}`;
  const client = new StoreClient(context, called, address, { ...own, ...(ca === undefined ? {} : { ca }) });
  return {
    async call(method, path, { token, body }) {
      const answer = await client.send({
        method,
        path: `/v1/${path}`,
        headers: {
          'x-vault-request': 'true',
          ...(token === undefined ? {} : { 'x-vault-token': token }),
          ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      });
      if (answer.status === 204) return undefined;
      const content = client.json(answer);
      if (answer.status === 200) return content;
      throw refusal(called, answer.status, content, client);
    },
    close: () => client.close(),
  };
}

/** `errors` of an answer are for people and may quote what was sent, so only what is known is told. */
function refusal(called: string, status: number, content: unknown, client: StoreClient): SecretError {
  const errors = at(content, 'errors');
  const said = Array.isArray(errors) ? errors.map(String).join('; ') : '';
  const words =
    /permission denied|invalid (?:role or secret|secret|role|token)[\w ]*|wrapping token[\w ,]*|missing client token|no handler for route/i.exec(
      said,
    );
  const told = `${called} answers with status ${status}${words ? `: ${words[0]}` : ''}`;
  if (status === 404) return new SecretError('SecretNotFound', told);
  // A standby that is behind (412), or one that answers for health only (472, 473).
  if (status === 412 || status === 472 || status === 473)
    return client.unreachable(`answers with status ${status}`);
  return new SecretError('SecretDenied', told);
}

/** A small file of the machine, such as a token. @throws SecretError where it is not there */
export async function textOf({ host }: StoreContext, path: string): Promise<string> {
  return (await readMachineFile(host, path, MOST_FILE_BYTES)).toString('utf8');
}
