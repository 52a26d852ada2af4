/**
 * The bootstrap token, with which a machine asks for its first certificate. kubeadm takes it off the disk as soon as the kubelet
 * is healthy and there is a kubeconfig, which here is at once: before the first certificate is there, on a busy machine.
 */
import { Sensitive } from '../../secrets/sensitive.ts';
import { type ApiAccess, readKubeconfig } from '../cluster/kubeconfig.ts';
import { clusterOf } from '../cluster/kubelet-credential.ts';
import { BOOTSTRAP_KUBECONFIG } from '../cluster/kubelet-identity.ts';
import { CREDENTIAL_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

const KEPT = `${CREDENTIAL_DIR}/bootstrap.json`;

/** Keeps the token until the first certificate is there, for root alone. @throws HostError */
export async function storeToken(host: Host, { token, ca }: ApiAccess): Promise<void> {
  if (token === undefined) return;
  await host.files.mkdir(CREDENTIAL_DIR, 0o700);
  const kept = { cluster: clusterOf({ ca }), token: token.reveal() };
  await host.files.write(KEPT, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
}

/** kubeadm's, where it is still there or somebody has put one there; else the one that was kept. @throws HostError */
export async function readToken(host: Host, ca: string | undefined): Promise<ApiAccess['token']> {
  const { token } = (await readKubeconfig(host, BOOTSTRAP_KUBECONFIG)) ?? {};
  if (token) return token;
  const text = (await host.files.readIfPresent(KEPT, 65_536))?.toString('utf8');
  try {
    const kept = JSON.parse(text ?? '');
    return kept.cluster === clusterOf({ ca }) && typeof kept.token === 'string'
      ? new Sensitive(kept.token)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws HostError */
export async function deleteToken(host: Host): Promise<void> {
  await host.files.remove(KEPT);
}
