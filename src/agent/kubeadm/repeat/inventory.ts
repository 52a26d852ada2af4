/**
 * What was on the machine before kubeadm ran for the first time. It tells what a failed attempt left from what user data
 * or the image put there. It lies on disk, so that after a crash or a reboot the leftovers of the first attempt do not
 * look as if they had always been there.
 */
import { createHash } from 'node:crypto';
import { STATE_DIR } from '../../document/paths.ts';
import type { FileStat } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import { type CertificatePlaces, certificateFiles, kubeadmFiles, PKI } from '../config/kubeadm-files.ts';
import { isStillJoined, JOINED_FILES } from './joined.ts';

export const INVENTORY = `${STATE_DIR}/inventory.json`;

const INVENTORY_VERSION = 2;

/** The inventory lists these directories file by file. */
const ROOTS = ['/etc/kubernetes', '/var/lib/kubelet'];
/** Volumes of pods: mounted, possibly remote and large. A machine that has them before its first attempt is no new one. */
const PASSED_OVER = ['/var/lib/kubelet/pods', '/var/lib/kubelet/plugins', '/var/lib/kubelet/device-plugins'];
const ETCD = '/var/lib/etcd';

/** Bounds, so that a strange machine cannot fill memory or disk. Above them the inventory keeps no content. */
const MAX_ENTRIES = 5_000;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export interface InventoryEntry {
  kind: FileStat['kind'];
  mode: number;
  uid: number;
  gid: number;
  /** SHA-256 of a file's content. */
  digest?: string;
  /** Target of a symbolic link. */
  target?: string;
  /** Base64 of the content, for files that `kubeadm reset` deletes. Never for private keys in pki. */
  content?: string;
}

/** The instance and the user data that the machine is bootstrapped for. */
export interface InventoryOwner {
  /** Instance id, as in the journal. */
  readonly instance: string;
  /** Digest of what the user data puts on the machine before kubeadm runs. */
  readonly document: string;
  /** Paths of the files that it writes. */
  readonly written: readonly string[];
}

export interface Inventory {
  version: typeof INVENTORY_VERSION;
  instance: string;
  document: string;
  entries: Record<string, InventoryEntry>;
  /** Nothing was in /var/lib/etcd, or it was not there. */
  etcdEmpty: boolean;
  /** Where the configuration puts certificates; absent: where kubeadm itself does. */
  places?: CertificatePlaces;
  /** The list is not complete. Then only files that have kubeadm's own names are removed or restored. */
  truncated: boolean;
}

/**
 * The inventory of an earlier call for the same instance and document; else a new one, which is on disk (mode 0600) when
 * this resolves. If the user data changed after failed attempts, what those left does not count as the machine's own.
 * Call it before the first attempt. @throws HostError
 */
export async function takeInventory(
  host: Host,
  owner: InventoryOwner,
  places: CertificatePlaces = {},
): Promise<Inventory> {
  const stored = await readInventory(host, owner.instance);
  const earlier = stored && !(await isOfGoneNode(host, stored)) ? stored : undefined;
  if (earlier?.document === owner.document) return earlier;
  const inventory = await lookAround(host, owner, places);
  if (earlier !== undefined) withoutLeftovers(inventory, earlier, owner.written);
  await host.files.mkdir(STATE_DIR, 0o700);
  await host.files.write(INVENTORY, JSON.stringify(inventory), { mode: 0o600 });
  return inventory;
}

/**
 * Was the machine a node when the inventory was taken, and has somebody taken that node apart since (a `kubeadm reset` that did not go
 * through Slipway)? Then restoring its files would make a machine look joined that is not.
 */
async function isOfGoneNode(host: Host, { entries }: Inventory): Promise<boolean> {
  const wasNode = JOINED_FILES.every((path) => entries[path] !== undefined);
  return wasNode && !(await isStillJoined(host, 'join'));
}

/** kubeadm and the kubelet left what has come since `earlier` and is not from the user data. */
function withoutLeftovers(inventory: Inventory, earlier: Inventory, written: readonly string[]): void {
  const files = kubeadmFiles(inventory.places);
  for (const [path, { kind }] of Object.entries(inventory.entries)) {
    const theirs = files.includes(path) || (path.startsWith('/var/lib/kubelet/') && kind === 'file');
    if (theirs && earlier.entries[path] === undefined && !written.includes(path)) {
      delete inventory.entries[path];
    }
  }
  // Put back what was there before as it was then, unless the user data says otherwise now.
  for (const [path, entry] of Object.entries(earlier.entries)) {
    if (!written.includes(path)) inventory.entries[path] = entry;
  }
  inventory.etcdEmpty = earlier.etcdEmpty;
}

async function lookAround(
  host: Host,
  { instance, document }: InventoryOwner,
  { certificatesDir = PKI, caCertPath = `${PKI}/ca.crt` }: CertificatePlaces,
): Promise<Inventory> {
  const inventory: Inventory = {
    version: INVENTORY_VERSION,
    instance,
    document,
    entries: {},
    etcdEmpty: true,
    places: { certificatesDir, caCertPath },
    truncated: false,
  };
  let kept = 0;
  const visit = async (path: string): Promise<void> => {
    const stat = await host.files.stat(path);
    if (stat === undefined || PASSED_OVER.includes(path)) return;
    if (Object.keys(inventory.entries).length >= MAX_ENTRIES) {
      inventory.truncated = true;
      return;
    }
    const entry: InventoryEntry = { kind: stat.kind, mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid };
    inventory.entries[path] = entry;
    if (stat.kind === 'symlink') entry.target = await host.files.readlink(path);
    if (stat.kind === 'file' && stat.size <= MAX_FILE_BYTES) {
      const content = await host.files.read(path);
      entry.digest = digestOf(content);
      if (resetDeletes(path) && kept + content.length <= MAX_KEPT_BYTES) {
        entry.content = content.toString('base64');
        kept += content.length;
      }
    }
    if (stat.kind === 'directory') {
      for (const name of await host.files.list(path)) await visit(`${path}/${name}`);
    }
  };
  for (const root of ROOTS) await visit(root);
  const elsewhere = certificateFiles(inventory.places).filter(
    (path) => inventory.entries[path] === undefined,
  );
  for (const path of elsewhere) await visit(path);
  const etcd = await host.files.stat(ETCD);
  inventory.etcdEmpty =
    etcd === undefined || (etcd.kind !== 'file' && (await host.files.list(ETCD)).length === 0);
  return inventory;
}

/**
 * The inventory on disk. Undefined if there is none, if it is damaged, and if it belongs to another instance: an image may
 * hold the inventory of the machine that it was made of. @throws HostError
 */
export async function readInventory(host: Host, instance: string): Promise<Inventory | undefined> {
  const bytes = await host.files.readIfPresent(INVENTORY);
  if (bytes === undefined) return undefined;
  try {
    const value: Inventory = JSON.parse(bytes.toString('utf8'));
    const valid = value.version === INVENTORY_VERSION && typeof value.entries === 'object';
    return valid && value.instance === instance ? value : undefined;
  } catch {
    // Written atomically, so this is another program's doing; a new one is better than none.
    return undefined;
  }
}

/** Call it when the node is bootstrapped, after a reset and on conclusion: it may hold what should not lie about. */
export async function clearInventory(host: Host): Promise<void> {
  await host.files.remove(INVENTORY);
}

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What `kubeadm reset --cert-dir ELSEWHERE` deletes: manifests, kubeconfigs, and all of /var/lib/kubelet. */
function resetDeletes(path: string): boolean {
  if (path.startsWith('/var/lib/kubelet/')) return true;
  return path.startsWith('/etc/kubernetes/manifests/') || /^\/etc\/kubernetes\/[^/]+\.conf$/.test(path);
}
