/**
 * Notes the machine's state before it became a node, as far as nobody can tell it later: the image's network
 * configurations look like those of a network plugin.
 */
import { STATE_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

export const STATE_BEFORE_FILE = `${STATE_DIR}/before.json`;
export const CNI_DIR = '/etc/cni/net.d';

interface Before {
  instance: string;
  /** Names in /etc/cni/net.d. */
  cni: string[];
}

/** Call it before kubeadm runs for the first time; later calls for the same instance change nothing. */
export async function recordStateBefore(host: Host, instance: string): Promise<void> {
  if ((await readStateBefore(host))?.instance === instance) return;
  const before: Before = { instance, cni: await host.files.list(CNI_DIR) };
  await host.files.mkdir(STATE_DIR, 0o700);
  await host.files.write(STATE_BEFORE_FILE, `${JSON.stringify(before)}\n`, { mode: 0o600 });
}

/** Undefined if Slipway has not bootstrapped this machine. */
export async function readStateBefore(host: Host): Promise<Before | undefined> {
  const bytes = await host.files.readIfPresent(STATE_BEFORE_FILE, 1024 * 1024);
  try {
    const value: Before | undefined = bytes && JSON.parse(bytes.toString('utf8'));
    return typeof value?.instance === 'string' && Array.isArray(value.cni) ? value : undefined;
  } catch {
    // It is written atomically, so another program spoilt it; then nothing is known.
    return undefined;
  }
}
