/** Turns a configuration into the next older version of kubeadm's API, and tells what cannot be said there. */

import { isValues, type Values } from '../yaml/config-node.ts';
import { argumentsToMaps } from './convert-arguments.ts';
import { type Draft, ensureSection, section, take } from './draft.ts';

const NODE_KINDS = ['InitConfiguration', 'JoinConfiguration'] as const;
const CLUSTER = 'ClusterConfiguration';

export function beta4ToBeta3(draft: Draft): void {
  argumentsToMaps(draft);
  for (const kind of NODE_KINDS) {
    const node = draft.documents.get(kind);
    if (node === undefined) continue;
    if (take(node, 'dryRun') === true)
      draft.lose(kind, ['dryRun'], 'asks for a dry run, which this kubeadm only knows as --dry-run', true);
    if (take(section(node, 'nodeRegistration'), 'imagePullSerial') === false)
      draft.lose(
        kind,
        ['nodeRegistration', 'imagePullSerial'],
        'has no effect: images are pulled one after another',
      );
    moveTimeouts(draft, kind, node);
  }
  const cluster = draft.documents.get(CLUSTER);
  if (cluster !== undefined) clusterToBeta3(draft, cluster);
}

/** What older versions know of the timeouts stands elsewhere; the others are built into kubeadm there. */
function moveTimeouts(draft: Draft, kind: (typeof NODE_KINDS)[number], node: Values): void {
  const timeouts = take(node, 'timeouts');
  if (!isValues(timeouts)) return;
  const discovery = section(node, 'discovery');
  for (const [name, value] of Object.entries(timeouts)) {
    if (value === null) continue;
    if (name === 'discovery' && discovery !== undefined) discovery.timeout ??= value;
    else if (name === 'controlPlaneComponentHealthCheck' && kind === 'InitConfiguration')
      ensureSection(draft.ensure(CLUSTER), 'apiServer').timeoutForControlPlane ??= value;
    else draft.lose(kind, ['timeouts', name], 'has no effect: this kubeadm has a fixed time for it');
  }
}

function clusterToBeta3(draft: Draft, cluster: Values): void {
  const parts: string[][] = [['apiServer'], ['controllerManager'], ['scheduler'], ['etcd', 'local']];
  for (const path of parts) {
    const variables = take(section(cluster, ...path), 'extraEnvs');
    if (Array.isArray(variables) && variables.length > 0)
      draft.lose(
        CLUSTER,
        [...path, 'extraEnvs'],
        'has no effect: this kubeadm sets no environment variables',
      );
  }
  const external = take(section(cluster, 'etcd', 'external'), 'httpEndpoints');
  if (external !== undefined)
    draft.lose(
      CLUSTER,
      ['etcd', 'external', 'httpEndpoints'],
      'has no effect: endpoints are used for everything',
    );
  for (const key of ['certificateValidityPeriod', 'caCertificateValidityPeriod']) {
    if (take(cluster, key) !== undefined)
      draft.lose(CLUSTER, [key], 'has no effect: certificates are valid for a year, authorities for ten');
  }
  encryption(draft, cluster);
  disabledAddons(draft, cluster);
}

function encryption(draft: Draft, cluster: Values): void {
  const algorithm = take(cluster, 'encryptionAlgorithm');
  if (algorithm === 'ECDSA-P256') ensureSection(cluster, 'featureGates').PublicKeysECDSA ??= true;
  else if (typeof algorithm === 'string' && algorithm !== '' && algorithm !== 'RSA-2048')
    draft.lose(CLUSTER, ['encryptionAlgorithm'], 'has no effect: this kubeadm makes RSA-2048 keys');
}

/** An add-on that is not wanted is a phase to skip in older versions. */
function disabledAddons(draft: Draft, cluster: Values): void {
  const phases: string[] = [];
  if (take(section(cluster, 'dns'), 'disabled') === true) phases.push('addon/coredns');
  const proxy = take(cluster, 'proxy');
  if (isValues(proxy) && proxy.disabled === true) phases.push('addon/kube-proxy');
  if (phases.length === 0) return;
  const init = draft.ensure('InitConfiguration');
  init.skipPhases = [...new Set([...(Array.isArray(init.skipPhases) ? init.skipPhases : []), ...phases])];
}

export function beta3ToBeta2(draft: Draft): void {
  for (const kind of NODE_KINDS) {
    const node = draft.documents.get(kind);
    if (node === undefined) continue;
    const phases = take(node, 'skipPhases');
    if (Array.isArray(phases) && phases.length > 0) draft.flags.push(`--skip-phases=${phases.join(',')}`);
    const patches = take(node, 'patches');
    // Its name until 1.22, where v1beta3 came.
    if (isValues(patches) && typeof patches.directory === 'string' && patches.directory !== '')
      draft.flags.push(`--experimental-patches=${patches.directory}`);
    const policy = take(section(node, 'nodeRegistration'), 'imagePullPolicy');
    if (policy === 'Always' || policy === 'Never')
      draft.lose(
        kind,
        ['nodeRegistration', 'imagePullPolicy'],
        'has no effect: images are pulled where they are missing',
      );
  }
}
