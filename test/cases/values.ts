import { kubernetesRelease } from '../lab/kubernetes/kubernetes.ts';
import { hostAllowance, joiningControlPlaneArgs } from '../lab/kubernetes/release.ts';
import type { ClusterData } from '../support/cluster-api/cluster-data.ts';

/** What stands in for `@NAME@` in the files of a case. */
export type Values = Readonly<Record<string, string>>;

/** What is known of a cluster and its release only when the case runs. */
export async function valuesOf({ endpoint, token, certificates }: ClusterData): Promise<Values> {
  const { version, minor, configApi, cgroupDriver, images } = await kubernetesRelease();
  const { ignorePreflightErrors = [], kubeletExtraArgs = {} } = hostAllowance(minor);
  const args = Object.entries(kubeletExtraArgs);
  const joining = Object.entries(joiningControlPlaneArgs(minor));
  const members = (entries: typeof args) => entries.map(([name, value]) => `${name}: "${value}", `).join('');
  return {
    KUBERNETES_VERSION: version,
    API: configApi,
    OTHER_API: configApi === 'v1beta4' ? 'v1beta2' : 'v1beta4',
    CGROUP_DRIVER: cgroupDriver,
    PAUSE_IMAGE: images.pause,
    // Members of lists and maps that others may follow.
    IGNORED_CHECKS: ignorePreflightErrors.join(', '),
    KUBELET_ARGS: members(args),
    JOINING_CONTROL_PLANE_ARGS: members(joining),
    KUBELET_ARGS_LIST: args.map(([name, value]) => `{name: ${name}, value: "${value}"}, `).join(''),
    KUBELET_FLAGS: args.map(([name, value]) => `--${name}=${value}`).join(' '),
    ENDPOINT: endpoint,
    TOKEN: token,
    CA_CERT_HASH: certificates.caCertHash,
    CERTIFICATES: certificates.files.map(writeFile).join(''),
  };
}

/** An entry of write_files, as Cluster API renders a certificate. */
function writeFile({ path, pem }: { path: string; pem: string }): string {
  const mode = path.endsWith('.key') ? '0600' : '0640';
  const lines = pem.trimEnd().replace(/^/gm, '      ');
  return `-   path: /etc/kubernetes/pki/${path}\n    owner: root:root\n    permissions: '${mode}'\n    content: |\n${lines}\n\n`;
}

/** The token, and of each private key a line that is in no other text. */
export function secretsOf({ token, certificates }: ClusterData): string[] {
  const keys = certificates.files.filter(({ path }) => path.endsWith('.key'));
  return [token, ...keys.map(({ path, pem }) => pem.split('\n')[1] ?? `no line in ${path}`)];
}

/** @throws Error for a name that has no value: what is left as it stands would prove something else */
export function fill(text: string, values: Values): string {
  return text.replace(/@([A-Z][A-Z0-9_]*)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`@${name}@ has no value; there are: ${Object.keys(values).join(', ')}`);
    return value;
  });
}
