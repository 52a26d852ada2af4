import { ExpectedError, UsageError } from '../../kit/errors.ts';
import { Keys } from '../keys/key-ring.ts';
import { type KeyStorage, readExisting } from '../keys/key-storage.ts';
import { authoritySecret, tokenKeySecret } from '../keys/secret-storage.ts';
import type { TokenMaterial } from '../keys/token-keys.ts';
import { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { findAccess } from '../kube/kubeconfig.ts';
import type { ListOf } from '../kube/objects.ts';
import { collectionPath, type NodeBootstrap } from '../store/node-bootstrap.ts';

/** As `ca rotate` has it. */
const OVERLAP_MS = 192 * 3_600_000;

interface KeysOptions {
  toKubeconfig?: string;
  toContext?: string;
  kubeconfig?: string;
  context?: string;
  controllerNamespace: string;
  replace?: boolean;
}

/** Has the controller of another management cluster take over the machines of this one. @returns 0 */
export async function keysCommand(action: 'copy', options: KeysOptions): Promise<number> {
  if (options.toKubeconfig === undefined && options.toContext === undefined)
    throw new UsageError(`keys ${action}: --to-kubeconfig or --to-context says where to`);
  const from = clientOf(options.kubeconfig, options.context);
  const to = clientOf(options.toKubeconfig ?? options.kubeconfig, options.toContext);
  try {
    const { controllerNamespace: namespace, replace = false } = options;
    const authority = authoritySecret(to, namespace);
    const wanted = await readExisting(authoritySecret(from, namespace));
    const present = await authority.read();
    const isOther = present !== undefined && present.certificate !== wanted.certificate;
    if (isOther && !replace) await refuseWhereMachinesKnowIt(to, authority.name);
    await copy('authority', wanted, authority);
    const tokens = tokenKeySecret(to, namespace);
    const tokenKey = await readExisting(tokenKeySecret(from, namespace));
    await copy('token key', beside(tokenKey, replace ? undefined : await tokens.read()), tokens);
    process.stdout.write(new Keys(wanted).trusted);
    process.stderr.write('slipway-controller: replicas that run there use the keys within ten seconds\n');
    return 0;
  } catch (error) {
    if (isStatus(error, 404))
      throw new ExpectedError(
        `the namespace ${options.controllerNamespace} or Slipway's CRDs are not there yet: install Slipway in the target first`,
        { cause: error },
      );
    throw error;
  } finally {
    from.close();
    to.close();
  }
}

/** Tokens that the target has made already count on for the time of a rotation. */
function beside(tokenKey: TokenMaterial, present: TokenMaterial | undefined): TokenMaterial {
  if (present === undefined || present.key === tokenKey.key || tokenKey.previous) return tokenKey;
  return { ...tokenKey, previous: { key: present.key, until: Date.now() + OVERLAP_MS } };
}

/** Machines that enrolled with the present authority would be shut out. */
async function refuseWhereMachinesKnowIt(client: KubeClient, name: string): Promise<void> {
  const { items } = await client.request<ListOf<NodeBootstrap>>('GET', collectionPath(), {
    query: { limit: 1 },
  });
  const [node] = items;
  if (!node) return;
  throw new ExpectedError(
    `${name} holds another authority, and machines have enrolled with it (${node.metadata.namespace}/${node.metadata.name}); --replace shuts them out`,
  );
}

async function copy<T>(what: string, material: T, place: KeyStorage<T>): Promise<void> {
  // Its version counts when it is written.
  await place.read();
  if (await place.write(material)) return;
  throw new ExpectedError(`somebody else changed the ${what} at this moment; look at it, and try again`);
}

function clientOf(kubeconfig: string | undefined, context: string | undefined): KubeClient {
  return new KubeClient(
    findAccess({
      ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
      ...(context === undefined ? {} : { context }),
    }),
  );
}
