/**
 * A note that kubeadm has succeeded while nothing proves its node yet. An agent that comes back after a reboot, or after
 * somebody has mended the Node, looks at the node again instead of running kubeadm a second time.
 */
import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import type { InventoryOwner } from './inventory.ts';
import { isStillJoined } from './joined.ts';

const SUCCEEDED = `${STATE_DIR}/kubeadm-succeeded`;

type Owner = Pick<InventoryOwner, 'instance' | 'document'>;

export async function recordSuccess(host: Host, owner: Owner): Promise<void> {
  await host.files.write(SUCCEEDED, `${lineOf(owner)}\n`, { mode: 0o600 });
}

/** Did kubeadm succeed for this instance and document, and is its work still there? */
export async function hasSucceeded(host: Host, verb: 'init' | 'join', owner: Owner): Promise<boolean> {
  const text = (await host.files.readIfPresent(SUCCEEDED, 4096))?.toString('utf8').trim();
  return text === lineOf(owner) && (await isStillJoined(host, verb));
}

export async function clearSuccess(host: Host): Promise<void> {
  await host.files.remove(SUCCEEDED);
}

const lineOf = ({ instance, document }: Owner): string => `${instance} ${document}`;
