/**
 * What kubeadm demands of the values, as far as every version from 1.20 on refuses the machine otherwise: the
 * rules of its validation for joins and inits. What only some versions refuse is left to kubeadm.
 */
import { ipFamily } from '../../../../kit/ip-family.ts';
import { extraArgument, otherNodeName } from '../kubelet/node-registration.ts';
import type { ConfigDocument } from '../yaml/config-documents.ts';
import type { ConfigProblem } from './problem.ts';
import { type Path, Rules } from './rules.ts';

const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;
const CA_HASH = /^sha256:[0-9a-fA-F]{64}$/;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const TOKEN_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const TOKEN_USAGES = ['signing', 'authentication'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

/** The problems of one of kubeadm's own documents; each an error. */
export function checkRules(document: ConfigDocument): ConfigProblem[] {
  const rules = new Rules(document);
  if (document.kind === 'JoinConfiguration') checkJoin(rules);
  if (document.kind === 'InitConfiguration') checkInit(rules);
  if (document.kind === 'ClusterConfiguration') checkCluster(rules);
  return rules.problems;
}

function checkJoin(rules: Rules): void {
  const token = ['discovery', 'bootstrapToken'] as const;
  const hasToken = rules.get(token) !== undefined;
  const hasFile = rules.get(['discovery', 'file']) !== undefined;
  if (!hasToken && !hasFile)
    rules.refuse(['discovery'], 'discovery must have bootstrapToken or file, to find the cluster');
  if (hasToken && hasFile)
    rules.refuse(['discovery'], 'discovery must not have both bootstrapToken and file');
  if (hasToken) checkTokenDiscovery(rules, token);
  if (hasFile && rules.text(['discovery', 'file', 'kubeConfigPath']) === undefined)
    rules.refuse(['discovery', 'file'], 'discovery.file.kubeConfigPath is missing');
  const bootstrap = rules.text(['discovery', 'tlsBootstrapToken']);
  if (bootstrap !== undefined && !TOKEN.test(bootstrap))
    rules.refuse(['discovery', 'tlsBootstrapToken'], `discovery.tlsBootstrapToken ${TOKEN_FORM}`);
  rules.absolute(['caCertPath']);
  checkEndpoint(rules, ['controlPlane', 'localAPIEndpoint']);
  checkRegistration(rules);
}

const TOKEN_FORM =
  'is not in the form of a bootstrap token (6 characters, a dot, 16 characters, of a-z and 0-9)';

function checkTokenDiscovery(rules: Rules, at: Path): void {
  const value = rules.text([...at, 'token']);
  if (value === undefined) rules.refuse(at, 'discovery.bootstrapToken.token is missing');
  else if (!TOKEN.test(value)) rules.refuse([...at, 'token'], `discovery.bootstrapToken.token ${TOKEN_FORM}`);
  const endpoint = rules.text([...at, 'apiServerEndpoint']);
  if (endpoint === undefined) rules.refuse(at, 'discovery.bootstrapToken.apiServerEndpoint is missing');
  else if (!isHostAndPort(endpoint))
    rules.refuse(
      [...at, 'apiServerEndpoint'],
      'discovery.bootstrapToken.apiServerEndpoint must be host:port',
    );
  const hashes = rules.list([...at, 'caCertHashes']);
  if (hashes.length === 0 && rules.get([...at, 'unsafeSkipCAVerification']) !== true) {
    const what = 'discovery.bootstrapToken needs caCertHashes (or unsafeSkipCAVerification: true)';
    rules.refuse([...at, 'caCertHashes'], what);
  }
  hashes.forEach((hash, index) => {
    if (typeof hash === 'string' && !CA_HASH.test(hash))
      rules.refuse(
        [...at, 'caCertHashes', index],
        'a CA certificate hash must be sha256: and 64 hexadecimal digits',
      );
  });
}

/** `host:port` as Go splits it: the last colon divides, an IPv6 address stands in brackets. */
function isHostAndPort(text: string): boolean {
  return /^(?:\[[^[\]]*\]|[^:[\]]*):[^:]*$/.test(text);
}

function checkInit(rules: Rules): void {
  rules.list(['bootstrapTokens']).forEach((_, index) => {
    const at = ['bootstrapTokens', index];
    const token = rules.text([...at, 'token']);
    if (token !== undefined && !TOKEN.test(token))
      rules.refuse([...at, 'token'], `bootstrapTokens[${index}].token ${TOKEN_FORM}`);
    rules.list([...at, 'usages']).forEach((usage, which) => {
      if (typeof usage === 'string' && !TOKEN_USAGES.includes(usage))
        rules.refuse([...at, 'usages', which], 'the usage of a bootstrap token is signing or authentication');
    });
    rules.list([...at, 'groups']).forEach((group, which) => {
      if (typeof group === 'string' && !TOKEN_GROUP.test(group))
        rules.refuse(
          [...at, 'groups', which],
          'the group of a bootstrap token begins with system:bootstrappers:',
        );
    });
  });
  checkEndpoint(rules, ['localAPIEndpoint']);
  checkRegistration(rules);
}

function checkEndpoint(rules: Rules, at: Path): void {
  const port = rules.get([...at, 'bindPort']);
  if (typeof port === 'number' && (port < 0 || port > 65_535))
    rules.refuse([...at, 'bindPort'], `${at.join('.')}.bindPort must be between 1 and 65535`);
  const address = rules.text([...at, 'advertiseAddress']);
  if (address !== undefined && ipFamily(address) === undefined) {
    const what = `${at.join('.')}.advertiseAddress must be an IP address`;
    rules.refuse([...at, 'advertiseAddress'], what, 'ControlPlaneConfigInvalid');
  }
}

function checkRegistration(rules: Rules): void {
  const at = ['nodeRegistration'] as const;
  const name = rules.text([...at, 'name']);
  if (name !== undefined && !isNodeName(name)) {
    const what = `nodeRegistration.name "${name}" cannot be the name of a node`;
    rules.refuse([...at, 'name'], what, 'NodeNameInvalid');
  }
  const other = otherNodeName(name, extraArgument(rules.get(at), 'hostname-override'));
  if (name !== undefined && other !== undefined) {
    const what = `nodeRegistration.name "${name}" and the kubelet's hostname-override "${other}" differ, so kubeadm would wait for a Node that never comes; leave hostname-override out`;
    rules.refuse([...at, 'kubeletExtraArgs'], what, 'NodeNameWrong');
  }
  rules.list([...at, 'taints']).forEach((_, index) => {
    const effect = rules.text([...at, 'taints', index, 'effect']);
    if (effect !== undefined && !EFFECTS.includes(effect)) {
      const what = `nodeRegistration.taints[${index}].effect must be one of ${EFFECTS.join(', ')}`;
      rules.refuse([...at, 'taints', index, 'effect'], what);
    }
  });
  const policy = rules.text([...at, 'imagePullPolicy']);
  if (policy !== undefined && !PULL_POLICIES.includes(policy))
    rules.refuse(
      [...at, 'imagePullPolicy'],
      `nodeRegistration.imagePullPolicy must be one of ${PULL_POLICIES.join(', ')}`,
    );
}

/** May this be a Node's name? kubeadm trims it and takes it in lower case first (RFC 1123 subdomain). */
export function isNodeName(name: string): boolean {
  const text = name.trim().toLowerCase();
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
}

const CODE = 'ControlPlaneConfigInvalid';

/** What kubeadm demands of the cluster's settings, as far as every version from 1.20 on does. */
function checkCluster(rules: Rules): void {
  rules.absolute(['certificatesDir']);
  rules.absolute(['etcd', 'local', 'dataDir']);
  if (rules.get(['etcd', 'local']) !== undefined && rules.get(['etcd', 'external']) !== undefined)
    rules.refuse(['etcd', 'external'], 'etcd must not have both local and external');
  for (const name of ['podSubnet', 'serviceSubnet']) checkSubnets(rules, ['networking', name]);
  const domain = rules.text(['networking', 'dnsDomain']);
  if (
    domain !== undefined &&
    !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(domain)
  )
    rules.refuse(['networking', 'dnsDomain'], 'networking.dnsDomain must be a DNS name in lower case', CODE);
  const endpoint = rules.text(['controlPlaneEndpoint']);
  if (endpoint !== undefined && hasForeignCharacters(endpoint))
    rules.refuse(
      ['controlPlaneEndpoint'],
      'controlPlaneEndpoint must be a DNS name or an IP address, and a port',
      CODE,
    );
  for (const path of [
    ['apiServer', 'certSANs'],
    ['etcd', 'local', 'serverCertSANs'],
    ['etcd', 'local', 'peerCertSANs'],
  ]) {
    rules.list(path).forEach((name, index) => {
      const isWrong =
        name === null || (typeof name === 'string' && (name === '' || hasForeignCharacters(name)));
      const what = `${path.join('.')}[${index}] must be a DNS name or an IP address`;
      if (isWrong) rules.refuse([...path, index], what, CODE);
    });
  }
}

/**
 * Characters of neither names nor addresses; the finer rules differ between versions and are left to kubeadm.
 */
function hasForeignCharacters(text: string): boolean {
  return /[^A-Za-z0-9.:*[\]%-]/.test(text);
}

/** One address range, or one of each family. */
function checkSubnets(rules: Rules, path: Path): void {
  const value = rules.text(path);
  if (value === undefined || value.split(',').every((part) => isAddressRange(part.trim()))) return;
  rules.refuse(path, `${path.join('.')} must be an address range such as 10.244.0.0/16`, CODE);
}

function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  const family = ipFamily(address);
  return family !== undefined && Number(bits) <= (family === 4 ? 32 : 128);
}
