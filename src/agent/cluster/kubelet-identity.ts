/** What the kubelet of this machine knows: where its API server is and who it is there. */

import { X509Certificate } from 'node:crypto';
import { omitUndefined } from '../../kit/json.ts';
import { API_SERVER_MANIFEST } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { readKubeletCredential } from './kubelet-credential.ts';

export const KUBELET_KUBECONFIG = '/etc/kubernetes/kubelet.conf';
/** Where kubeadm puts the bootstrap token, until the kubelet has its own kubeconfig. */
export const BOOTSTRAP_KUBECONFIG = '/etc/kubernetes/bootstrap-kubelet.conf';

export interface KubeletIdentity {
  /** URL of the API server; on a control plane its own. */
  server: string;
  /** PEM. */
  ca?: string;
  certificate: string;
  key: string;
  /** The name in the certificate: the Node this kubelet may write. */
  nodeName?: string;
}

/** Undefined where there is no kubeconfig, or no client certificate in it yet. @throws HostError */
export async function readKubeletIdentity(host: Host): Promise<KubeletIdentity | undefined> {
  const access = await readKubeconfig(host, KUBELET_KUBECONFIG);
  if (!access) return undefined;
  const { ca } = access;
  // A kubeconfig that names `slipway credential` holds none.
  const { certificate, key } =
    access.certificate === undefined ? ((await readKubeletCredential(host, { ca })) ?? {}) : access;
  if (certificate === undefined || key === undefined) return undefined;
  const server = (await localApiServer(host)) ?? access.server;
  const nodeName = nameIn(certificate);
  return {
    server,
    certificate,
    key,
    ...omitUndefined({ ca, nodeName }),
  };
}

/**
 * A control plane asks its own API server, where kubeadm has noted its address: a load balancer may not have taken note
 * of this machine yet, or may not let it reach itself.
 */
async function localApiServer(host: Host): Promise<string | undefined> {
  const manifest = (await host.files.readIfPresent(API_SERVER_MANIFEST))?.toString('utf8') ?? '';
  const endpoint = /kube-apiserver\.advertise-address\.endpoint: *"?([^\s"]+)/.exec(manifest)?.[1];
  const url = `https://${endpoint}`;
  return endpoint === undefined || !URL.canParse(url) ? undefined : url;
}

function nameIn(certificate: string): string | undefined {
  try {
    return /^CN=system:node:(.+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
  } catch {
    // Half written, or no certificate: who it is for will be seen at the next look.
    return undefined;
  }
}
