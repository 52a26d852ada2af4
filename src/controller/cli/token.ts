import { KubernetesTokens } from '../attest/kubernetes-tokens.ts';
import { SqliteTokens } from '../attest/sqlite-tokens.ts';
import { makeToken, type TokenBook } from '../attest/token.ts';
import { milliseconds } from './serve.ts';
import { openSource, type Source, type SourceOptions } from './source.ts';
import { UsageError } from './usage-error.ts';

export interface TokenOptions extends SourceOptions {
  machine?: string;
  ttl: string;
  secret?: string;
  controllerNamespace: string;
}

const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @returns 0 */
export async function tokenCommand(options: TokenOptions): Promise<number> {
  const { machine } = options;
  if (machine !== undefined && !NAME.test(machine))
    throw new UsageError(`--machine: ${machine} is no name of an object`);
  const lifetime = milliseconds(options.ttl, '--ttl');
  const source = openSource(options);
  try {
    const namespace = options.namespace ?? source.namespace;
    const { token, record } = makeToken({
      namespace,
      expiresAt: Date.now() + lifetime,
      ...(machine === undefined ? {} : { machine }),
    });
    await bookOf(source, options.controllerNamespace).add(record);
    if (options.secret !== undefined) await putIntoSecret(source, namespace, options.secret, token);
    else process.stdout.write(`${token}\n`);
    return 0;
  } finally {
    await source.store.close();
  }
}

function bookOf({ client, database }: Source, controllerNamespace: string): TokenBook {
  if (client) return new KubernetesTokens(client, controllerNamespace);
  if (database) return new SqliteTokens(database);
  throw new UsageError('neither a cluster nor a database');
}

async function putIntoSecret(
  { client }: Source,
  namespace: string,
  name: string,
  token: string,
): Promise<void> {
  if (!client) throw new UsageError('--secret: without a cluster there are no Secrets');
  await client.request('PATCH', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      type: 'Opaque',
      stringData: { token },
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'slipway-controller-cli', force: true },
  });
  process.stderr.write(`slipway-controller: the token is in Secret ${namespace}/${name}, key token\n`);
}
