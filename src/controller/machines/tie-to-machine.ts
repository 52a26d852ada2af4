import type { KubeClient } from '../kube/client.ts';
import { isStatus, undefinedOnStatus } from '../kube/kube-error.ts';
import type { MachineTie } from '../model/node-record.ts';
import { collectionPath, FIELD_MANAGER, type NodeBootstrap, objectPath } from '../store/node-bootstrap.ts';
import type { Machine } from './machine.ts';

/** Its machine may tell something while its node moves; then it moves what was told, too. */
const MAX_TRIES = 5;

/**
 * Gives a node that enrolled before its Machine was known the Machine's name, with all that it has told. The
 * name is the Machine's one place (`Holders`): where somebody has it, the node stays as it is.
 *
 * Whoever stops in between leaves both, with the same key; the next one goes on.
 *
 * @returns false if somebody else holds the Machine, or the node is gone
 * @throws KubeError
 */
export async function tieToMachine(
  client: KubeClient,
  node: { namespace: string; name: string; keyDigest: string },
  machine: Machine,
  tie: MachineTie,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const from = await get(client, node.namespace, node.name);
    if (from?.spec.keyDigest !== node.keyDigest || from.spec.machine) return false;
    const to = await place(client, from, machine, tie);
    if (!to) return false;
    if (from.status) await copyStatus(client, from, to);
    if (await remove(client, from)) return true;
  }
  return false;
}

function get(client: KubeClient, namespace: string, name: string): Promise<NodeBootstrap | undefined> {
  return undefinedOnStatus(client.request<NodeBootstrap>('GET', objectPath(namespace, name)), 404);
}

/** The node with the Machine's name: made now, or by an earlier attempt. */
async function place(
  client: KubeClient,
  { spec: { verdict: _, ...spec } }: NodeBootstrap,
  { namespace, name, uid, apiVersion }: Machine,
  tie: MachineTie,
): Promise<NodeBootstrap | undefined> {
  try {
    return await client.request<NodeBootstrap>('POST', collectionPath(namespace), {
      body: {
        apiVersion: 'slipway.dev/v1alpha1',
        kind: 'NodeBootstrap',
        metadata: { name, namespace, ownerReferences: [{ apiVersion, kind: 'Machine', name, uid }] },
        spec: { ...spec, machine: tie },
      },
      query: { fieldManager: FIELD_MANAGER },
    });
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    const there = await get(client, namespace, name);
    const isOurs = there?.spec.keyDigest === spec.keyDigest && there.spec.machine?.uid === uid;
    return isOurs ? there : undefined;
  }
}

async function copyStatus(client: KubeClient, from: NodeBootstrap, to: NodeBootstrap): Promise<void> {
  const { namespace = '', name, resourceVersion } = to.metadata;
  await client.request('PATCH', `${objectPath(namespace, name)}/status`, {
    body: [
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value: from.status },
    ],
    contentType: 'application/json-patch+json',
    query: { fieldManager: FIELD_MANAGER },
  });
}

/** @returns false if it was written meanwhile */
async function remove(client: KubeClient, { metadata }: NodeBootstrap): Promise<boolean> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  try {
    const body = { preconditions: { uid, resourceVersion } };
    await client.request('DELETE', objectPath(namespace, name), { body });
    return true;
  } catch (error) {
    if (isStatus(error, 404)) return true;
    if (isStatus(error, 409)) return false;
    throw error;
  }
}
