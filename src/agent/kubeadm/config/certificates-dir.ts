import { API_SERVER_MANIFEST } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { PKI } from './kubeadm-files.ts';

/** A name of kubeadm's own: other flags may name files that are somebody else's. */
const CERTIFICATE = /=([^"'\n=]+)\/apiserver-kubelet-client\.crt/;

/**
 * Where this control plane's certificates lie; on other machines, where kubeadm would put them. A join learns it from the
 * cluster, so that no configuration here names it; the API server's manifest does. @throws HostError
 */
export async function certificatesDirOf(host: Host): Promise<string> {
  const manifest = (await host.files.readIfPresent(API_SERVER_MANIFEST, 1024 * 1024))?.toString('utf8') ?? '';
  return CERTIFICATE.exec(manifest)?.[1] ?? PKI;
}
