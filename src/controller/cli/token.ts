import { UsageError } from '../../kit/errors.ts';
import { KubernetesTokens } from '../attest/kubernetes-tokens.ts';
import { SqliteTokens } from '../attest/sqlite-tokens.ts';
import { makeToken, type TokenAdmin } from '../attest/token.ts';
import type { MachineSelector } from '../model/selector.ts';
import { issueMachineToken } from '../serve/issue-machine-token.ts';
import { checkNamespace } from './check-namespace.ts';
import { count, milliseconds } from './options/values.ts';
import {
  checkTokenSecret,
  endRenewals,
  placePoolToken,
  type TemplateSecret,
  writeTokenSecret,
} from './pool-secret.ts';
import { OBJECT_NAME, openSource, type Source, type SourceOptions } from './source.ts';
import { listTokens, revokeToken } from './tokens.ts';

interface TokenOptions extends SourceOptions {
  machine?: string;
  cluster?: string;
  role: string;
  owner?: string;
  uses: string;
  ttl: string;
  secret?: string;
  renew: boolean;
  controllerNamespace: string;
}

const OWNER = /^[A-Z][A-Za-z]{0,62}\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @returns 0; 1 if there is no token to revoke */
export async function tokenCommand(
  action: 'create' | 'list' | 'revoke',
  id: string | undefined,
  options: TokenOptions,
): Promise<number> {
  if (action === 'revoke' && id === undefined) {
    throw new UsageError('token revoke: which one? See: slipway-controller token list');
  }
  if (action !== 'revoke' && id !== undefined)
    throw new UsageError(`token ${action}: unexpected argument ${id}`);
  if (action !== 'list' && options.allNamespaces)
    throw new UsageError(`token ${action}: --all-namespaces is for list`);
  if (action === 'create') return await createToken(options);
  const source = openSource(options);
  try {
    const shelf = shelfOf(source, options.controllerNamespace);
    return await (action === 'list'
      ? listTokens(shelf, options)
      : revokeToken(shelf, source.store, id ?? ''));
  } finally {
    await source.store.close();
  }
}

async function createToken(options: TokenOptions): Promise<number> {
  const { machine, controllerNamespace } = options;
  if (machine !== undefined && !OBJECT_NAME.test(machine))
    throw new UsageError(`--machine: ${machine} is not a valid object name`);
  if (options.secret !== undefined && !OBJECT_NAME.test(options.secret))
    throw new UsageError(`--secret: ${options.secret} is not a valid object name`);
  const selector = selectorOf(options);
  const uses = count(options.uses, '--uses');
  const lifetime = milliseconds(options.ttl, '--ttl');
  const source = openSource(options);
  try {
    const namespace = options.namespace ?? source.namespace;
    const expiresAt = Date.now() + lifetime;
    const { client } = source;
    if (options.secret !== undefined && !client)
      throw new UsageError('--secret: without a cluster there are no Secrets');
    const warning = client && (await checkNamespace(client, namespace, controllerNamespace));
    if (warning !== undefined) say(`warning: ${warning}`);
    const at = options.secret === undefined ? undefined : { namespace, name: options.secret };
    if (client && machine !== undefined) {
      const made = await issueMachineToken(client, { controllerNamespace, namespace, machine, expiresAt });
      if (at) {
        await writeTokenSecret(client, at, made);
        await endRenewals(shelfOf(source, controllerNamespace), at);
      }
      return tell(made, at, false);
    }
    const isRenewed = at !== undefined && options.renew;
    if (client && isRenewed) await checkTokenSecret(client, at);
    const made = makeToken({
      ...{ namespace, expiresAt },
      // Without a cluster there is nothing that a selector could look at.
      ...(client ? { selector, uses } : machine === undefined ? { uses } : { machine }),
      ...(isRenewed ? { renewal: { secret: at.name, lifetimeMs: lifetime, since: Date.now() } } : {}),
    });
    const shelf = shelfOf(source, controllerNamespace);
    await shelf.add(made.record);
    if (client && at) await placePoolToken(client, shelf, { ...at, controllerNamespace }, made);
    return tell(made.token, at, isRenewed);
  } finally {
    await source.store.close();
  }
}

function selectorOf({ cluster, role, owner, data }: TokenOptions): MachineSelector {
  if (data !== undefined && (cluster !== undefined || owner !== undefined))
    throw new UsageError('--cluster and --owner: without a cluster there are no Machines');
  if (cluster !== undefined && !OBJECT_NAME.test(cluster))
    throw new UsageError(`--cluster: ${cluster} is not a valid object name`);
  if (owner !== undefined && !OWNER.test(owner))
    throw new UsageError(`--owner: ${owner} is not KIND/NAME; write MachineDeployment/workers`);
  if (role !== 'worker' && role !== 'control-plane' && role !== 'any')
    throw new UsageError(`--role: ${role} is not one of worker, control-plane, any`);
  return {
    ...(cluster === undefined ? {} : { cluster }),
    ...(role === 'any' ? {} : { role }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function shelfOf({ client, database }: Source, controllerNamespace: string): TokenAdmin {
  if (client) return new KubernetesTokens(client, controllerNamespace);
  if (database) return new SqliteTokens(database);
  throw new UsageError('neither a cluster nor a database');
}

/** Prints the token, or says where it is. @returns 0 */
function tell(token: string, at: TemplateSecret | undefined, isRenewed: boolean): number {
  if (at === undefined) process.stdout.write(`${token}\n`);
  else
    say(
      `the token is in Secret ${at.namespace}/${at.name}, key token${isRenewed ? '; the controller renews it there' : ''}`,
    );
  return 0;
}

function say(text: string): void {
  process.stderr.write(`slipway-controller: ${text}\n`);
}
