/** From one version of kubeadm's API to the next newer one. */
import type { Values } from '../yaml/config-node.ts';
import { argumentsToLists } from './convert-arguments.ts';
import { type Draft, ensureSection, section, take } from './draft.ts';

/** v1beta3 knows CoreDNS only and no hyperkube image. */
export function beta2ToBeta3(draft: Draft): void {
  socketsToUrls(draft);
  const cluster = draft.documents.get('ClusterConfiguration');
  const dns = section(cluster, 'dns');
  if (dns?.type === 'kube-dns')
    draft.lose(
      'ClusterConfiguration',
      ['dns', 'type'],
      'cannot be kube-dns any more; kubeadm installs CoreDNS',
    );
  take(dns, 'type');
  if (take(cluster, 'useHyperKubeImage') === true)
    draft.lose(
      'ClusterConfiguration',
      ['useHyperKubeImage'],
      'is gone; kubeadm uses the image of each component',
    );
}

/** Flags become lists, and the timeouts move into a section of their own. */
export function beta3ToBeta4(draft: Draft): void {
  socketsToUrls(draft);
  argumentsToLists(draft);
  const { documents } = draft;
  const forControlPlane = take(
    section(documents.get('ClusterConfiguration'), 'apiServer'),
    'timeoutForControlPlane',
  );
  if (forControlPlane !== undefined) {
    // It is not a setting of the cluster any more but of each kubeadm that is run.
    const timeouts = ensureSection(draft.ensure('InitConfiguration'), 'timeouts');
    timeouts.controlPlaneComponentHealthCheck ??= forControlPlane;
  }
  gateToAlgorithm(documents.get('ClusterConfiguration'));
  const join = documents.get('JoinConfiguration');
  const discovery = take(section(join, 'discovery'), 'timeout');
  if (join !== undefined && discovery !== undefined) ensureSection(join, 'timeouts').discovery ??= discovery;
}

/** The gate PublicKeysECDSA has a field in its place since v1beta4, and kubeadm 1.37 refuses to know it. */
function gateToAlgorithm(cluster: Values | undefined): void {
  const gates = section(cluster, 'featureGates');
  const isOn = take(gates, 'PublicKeysECDSA');
  if (cluster === undefined || gates === undefined) return;
  if (Object.keys(gates).length === 0) take(cluster, 'featureGates');
  if (isOn === true) cluster.encryptionAlgorithm ??= 'ECDSA-P256';
}

/** A path alone has been deprecated since 1.24, and kubeadm warns of it whenever it reads it. */
function socketsToUrls({ documents }: Draft): void {
  for (const kind of ['InitConfiguration', 'JoinConfiguration']) {
    const registration = section(documents.get(kind), 'nodeRegistration');
    const socket = registration?.criSocket;
    if (registration && typeof socket === 'string' && socket.startsWith('/'))
      registration.criSocket = `unix://${socket}`;
  }
}
