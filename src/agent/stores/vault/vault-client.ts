import { createHash } from 'node:crypto';
import { at, textAt } from '../../../kit/json.ts';
import type { VaultSettings } from '../../document/node-settings.ts';
import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import type { HttpClientOptions } from '../../host/network.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import { readMachineFile, type StoreContext } from '../contract/store.ts';
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
  const told = `${called} returned status ${status}${words ? `: ${words[0]}` : ''}`;
  if (status === 404) return new SecretError('SecretNotFound', told);
  // A standby that is behind (412), or one that answers for health only (472, 473).
  if (status === 412 || status === 472 || status === 473)
    return client.unreachable(`returned status ${status}`);
  return new SecretError('SecretDenied', told);
}

/** A small file of the machine, such as a token. @throws SecretError where it is not there */
export async function textOf({ host }: StoreContext, path: string): Promise<string> {
  return (await readMachineFile(host, path, MOST_FILE_BYTES)).toString('utf8');
}

const OURS =
  "Wrap a new one. Check in Vault's audit log who opened this one: if it was not this machine, treat the secret as stolen and revoke it.";
const GONE =
  "Check in Vault's audit log whether it was opened. If so, treat the secret as stolen: revoke it, and wrap a new one. If it only expired, wrap a new one with a TTL (-wrap-ttl) longer than the machine's boot.";

/** What this process has unwrapped, by token: a token opens once, and a step may be tried again. */
const opened = new Map<string, Promise<unknown>>();

/** Says that this machine was about to open the token; what it held is not kept. */
const notePath = (token: string): string =>
  `${STATE_DIR}/unwrapped-${createHash('sha256').update(token).digest('hex').slice(0, 24)}`;

/**
 * What a wrapping token holds. It must have been made where it was meant to (`sys/wrapping/lookup`), or somebody has put
 * another in its place; and it must not have been opened before, or somebody has read it.
 *
 * @param made path at which it was wrapped
 * @throws SecretError SecretOpenedElsewhere
 */
export async function unwrapToken(
  host: Host,
  client: VaultClient,
  token: string,
  made: string | RegExp,
): Promise<unknown> {
  const known = opened.get(token);
  if (known) return known;
  const answer = open(host, client, token, made);
  opened.set(token, answer);
  // What may pass is tried again; what was opened stays.
  answer.catch(() => opened.delete(token));
  return answer;
}

async function open(host: Host, client: VaultClient, token: string, made: string | RegExp): Promise<unknown> {
  const isOurs = (await host.files.stat(notePath(token))) !== undefined;
  const lookup = await orGone(isOurs, () => client.call('POST', 'sys/wrapping/lookup', { body: { token } }));
  const path = textAt(lookup, 'data', 'creation_path') ?? '';
  if (typeof made === 'string' ? path !== made : !made.test(path))
    throw new SecretError(
      'SecretOpenedElsewhere',
      'the wrapping token was created at an unexpected path: it replaces the right one',
    );
  await host.files.write(notePath(token), Buffer.alloc(0), { mode: 0o600, owner: '0:0' });
  // The token stands in one place only: with a body as well, Vault would burn it.
  return orGone(isOurs, () => client.call('POST', 'sys/wrapping/unwrap', { token }));
}

/** A token that is not valid was opened before, has expired, or never was one. */
async function orGone<T>(isOurs: boolean, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SecretError) || !/^Secret(?:Denied|NotFound)$/.test(error.code)) throw error;
    throw new SecretError(
      'SecretOpenedElsewhere',
      isOurs
        ? `the wrapping token was opened by an interrupted earlier run on this machine, or by someone else (${error.message})`
        : `the wrapping token is not valid: it was opened by someone else, or it expired (${error.message})`,
      isOurs ? OURS : GONE,
    );
  }
}
