/** From one version of kubeadm's API to the next newer or older one; the draft notes what cannot be said there. */
import { isValues, type Values } from '../yaml/config-node.ts';
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
      'can no longer be kube-dns; kubeadm installs CoreDNS',
    );
  take(dns, 'type');
  if (take(cluster, 'useHyperKubeImage') === true)
    draft.lose(
      'ClusterConfiguration',
      ['useHyperKubeImage'],
      'was removed; kubeadm uses a separate image for each component',
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

const NODE_KINDS = ['InitConfiguration', 'JoinConfiguration'] as const;
const CLUSTER = 'ClusterConfiguration';

export function beta4ToBeta3(draft: Draft): void {
  argumentsToMaps(draft);
  for (const kind of NODE_KINDS) {
    const node = draft.documents.get(kind);
    if (node === undefined) continue;
    if (take(node, 'dryRun') === true)
      draft.lose(kind, ['dryRun'], 'requests a dry run, which this kubeadm supports only as --dry-run', true);
    if (take(section(node, 'nodeRegistration'), 'imagePullSerial') === false)
      draft.lose(
        kind,
        ['nodeRegistration', 'imagePullSerial'],
        'has no effect: this kubeadm pulls images one after another',
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
      'has no effect: this kubeadm uses the endpoints for everything',
    );
  for (const key of ['certificateValidityPeriod', 'caCertificateValidityPeriod']) {
    if (take(cluster, key) !== undefined)
      draft.lose(
        CLUSTER,
        [key],
        'has no effect: this kubeadm issues certificates for one year and CAs for ten',
      );
  }
  encryption(draft, cluster);
  disabledAddons(draft, cluster);
}

function encryption(draft: Draft, cluster: Values): void {
  const algorithm = take(cluster, 'encryptionAlgorithm');
  if (algorithm === 'ECDSA-P256') ensureSection(cluster, 'featureGates').PublicKeysECDSA ??= true;
  else if (typeof algorithm === 'string' && algorithm !== '' && algorithm !== 'RSA-2048')
    draft.lose(CLUSTER, ['encryptionAlgorithm'], 'has no effect: this kubeadm creates RSA-2048 keys');
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
        'has no effect: this kubeadm pulls images that are missing',
      );
  }
}

/**
 * The places in kubeadm's documents where flags for a component stand: a mapping of names to values before v1beta4, a list of names
 * and values since.
 */
const PLACES: { kind: string; path: string[]; key: string }[] = [
  ...['apiServer', 'controllerManager', 'scheduler'].map((name) => ({
    kind: 'ClusterConfiguration',
    path: [name],
    key: 'extraArgs',
  })),
  { kind: 'ClusterConfiguration', path: ['etcd', 'local'], key: 'extraArgs' },
  { kind: 'InitConfiguration', path: ['nodeRegistration'], key: 'kubeletExtraArgs' },
  { kind: 'JoinConfiguration', path: ['nodeRegistration'], key: 'kubeletExtraArgs' },
];

function argumentsToLists(draft: Draft): void {
  for (const { holder, key } of holders(draft)) {
    const given = holder[key];
    if (!isValues(given)) continue;
    holder[key] = Object.keys(given)
      .toSorted()
      .map((name) => ({ name, value: given[name] ?? '' }));
  }
}

/**
 * A flag that is given twice cannot be said by a mapping: the last one counts, as in kubeadm's own
 * conversion.
 */
function argumentsToMaps(draft: Draft): void {
  for (const { holder, key, kind, path } of holders(draft)) {
    const given = holder[key];
    if (!Array.isArray(given)) continue;
    const map: Values = Object.create(null);
    given.forEach((entry: unknown, index) => {
      if (!isValues(entry) || typeof entry.name !== 'string') return;
      if (entry.name in map) {
        const name = entry.name;
        draft.lose(kind, [...path, key, index], `sets --${name} twice, and only the last value takes effect`);
      }
      map[entry.name] = entry.value ?? '';
    });
    holder[key] = { ...map };
  }
}

function holders(draft: Draft): { holder: Values; key: string; kind: string; path: string[] }[] {
  return PLACES.flatMap(({ kind, path, key }) => {
    const holder = section(draft.documents.get(kind), ...path);
    return holder === undefined ? [] : [{ holder, key, kind, path }];
  });
}
