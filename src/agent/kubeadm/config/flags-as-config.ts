import { newestSupportedVersion } from './api/versions.ts';
import { flagIsSet, flagList, flagValue, parseFlags } from './flags.ts';
import { writeYaml } from './yaml/write-yaml.ts';

/** Flags that kubeadm takes beside `--config` in every release from 1.15 on (`isAllowedFlag`). */
const BESIDE = ['ignore-preflight-errors', 'node-name', 'skip-phases', 'v'];
const OF_DISCOVERY = [
  'token',
  'discovery-token',
  'tls-bootstrap-token',
  'discovery-file',
  'discovery-token-ca-cert-hash',
  'discovery-token-unsafe-skip-ca-verification',
];
const OF_CONTROL_PLANE = ['certificate-key', 'apiserver-advertise-address', 'apiserver-bind-port'];
const KNOWN = new Set([
  ...BESIDE,
  ...OF_DISCOVERY,
  ...OF_CONTROL_PLANE,
  'control-plane',
  'cri-socket',
  'patches',
]);

/**
 * A join by flags as the JoinConfiguration that asks for the same, with the flags that stay beside it. Only a
 * configuration has a place for kubeadm's timeouts, and no other user of the machine sees a token in it.
 * Undefined where it cannot be said for certain: flags that are not known here, that contradict each other or
 * that kubeadm itself should complain of.
 *
 * @param args Everything behind `join`.
 * @param minor Minor version of the installed kubeadm.
 */
export function flagsAsConfig(
  args: readonly string[],
  minor: number,
): { text: string; args: string[] } | undefined {
  const flags = parseFlags(args);
  const version = newestSupportedVersion(minor);
  if (version === undefined || version === 'v1beta1') return undefined;
  for (const [name, values] of flags.values) {
    if (!KNOWN.has(name)) return undefined;
    if (values.includes('') && !BESIDE.includes(name)) return undefined;
  }
  const value = (name: string) => flagValue(flags, name);
  const [endpoint, ...more] = flags.positional;
  const kubeConfigPath = value('discovery-file');
  if (more.length > 0 || (endpoint === undefined) === (kubeConfigPath === undefined)) return undefined;
  const token = value('discovery-token') ?? value('token');
  if (kubeConfigPath === undefined && token === undefined) return undefined;
  const controlPlane = flagIsSet(flags, 'control-plane');
  if (!controlPlane && OF_CONTROL_PLANE.some((name) => flags.values.has(name))) return undefined;
  const bindPort = value('apiserver-bind-port');
  if (bindPort !== undefined && !/^\d{1,5}$/.test(bindPort)) return undefined;
  const directory = value('patches');
  if (directory !== undefined && version === 'v1beta2') return undefined;
  const caCertHashes = flagList(flags, 'discovery-token-ca-cert-hash');
  const asked = {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: 'JoinConfiguration',
    discovery: {
      file: kubeConfigPath && { kubeConfigPath },
      bootstrapToken: endpoint && {
        apiServerEndpoint: endpoint,
        token,
        caCertHashes: caCertHashes.length > 0 ? caCertHashes : undefined,
        unsafeSkipCAVerification:
          flagIsSet(flags, 'discovery-token-unsafe-skip-ca-verification') || undefined,
      },
      tlsBootstrapToken: value('tls-bootstrap-token') ?? value('token'),
    },
    nodeRegistration: value('cri-socket') && { criSocket: value('cri-socket') },
    controlPlane: controlPlane
      ? {
          certificateKey: value('certificate-key'),
          localAPIEndpoint: {
            advertiseAddress: value('apiserver-advertise-address'),
            bindPort: bindPort === undefined ? undefined : Number(bindPort),
          },
        }
      : undefined,
    patches: directory && { directory },
  };
  const beside = BESIDE.flatMap((name) =>
    (flags.values.get(name) ?? []).map((given) => `--${name}=${given}`),
  );
  return { text: writeYaml(asked), args: beside };
}
