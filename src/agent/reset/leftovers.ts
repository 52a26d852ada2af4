/** Looks for what a reset leaves, and says what a person can do about each thing. */
import { JOURNAL, PATCHES_DIR, PROXY_FILE, SUPPORT_FILE } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { PKI } from '../kubeadm/config/kubeadm-files.ts';
import { presentKubeconfigs } from './kubeconfigs.ts';
import { CNI_DIR } from './state-before.ts';

export interface Leftover {
  what: string;
  /** A sentence or a command; absent if there is nothing to do. */
  how?: string;
}

const SETTINGS = [
  PROXY_FILE,
  '/etc/sysctl.d/90-slipway.conf',
  '/etc/modules-load.d/slipway.conf',
  ...['containerd', 'kubelet', 'slipway-report'].map(
    (unit) => `/etc/systemd/system/${unit}.service.d/50-slipway-proxy.conf`,
  ),
  '/etc/containerd/config.toml.before-slipway',
  PATCHES_DIR,
];
const RULES = /^-[AN] (?:KUBE-|CNI-|cali-|CILIUM_|FLANNEL-|WEAVE)/gm;
const INTERFACES =
  /^(?:cni\d+|flannel[.\d-]*|cali.*|vxlan\.calico|wireguard\.cali|cilium_.*|lxc.*|kube-ipvs0|kube-bridge|nodelocaldns|weave|antrea-gw0|genev_sys_.*)$/;

/** @param node what there was when the reset began: something of kubeadm's, and where its certificates lay */
export async function findLeftovers(
  host: Host,
  { wasNode, certificatesDir }: { wasNode: boolean; certificatesDir: string },
): Promise<Leftover[]> {
  const found: Leftover[] = [];
  if (wasNode)
    found.push({
      what: 'the Node object in the cluster, if this machine has joined one',
      how: `kubectl delete node ${host.hostname().toLowerCase()} (on a control plane)`,
    });
  found.push(...(await onDisk(host, certificatesDir)));
  if (host.root === '/') found.push(...(await inKernel(host)));
  return found;
}

async function onDisk(host: Host, certificatesDir: string): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const list = async (path: string): Promise<string[]> => host.files.list(path);
  const cni = await list(CNI_DIR);
  if (cni.length > 0)
    found.push({
      what: `network configurations in ${CNI_DIR}: ${cni.join(', ')}`,
      how: 'Remove those that did not come with the image.',
    });
  for (const [path, what] of [
    ['/var/lib/etcd', "etcd's data"],
    ['/var/lib/cni', 'addresses that the network plugin gave out'],
    ['/var/lib/kubelet/pods', 'volumes of pods'],
    ['/etc/kubernetes/manifests', 'static pods'],
    [PKI, 'certificates'],
  ] as const) {
    if (await hasFiles(host, path, 3)) found.push({ what: `${what} in ${path}`, how: `rm -r ${path}/*` });
  }
  if (certificatesDir !== PKI && (await hasFiles(host, certificatesDir, 1)))
    found.push({
      what: `files in ${certificatesDir}, where this node's certificates lay`,
      how: 'Remove those of this cluster.',
    });
  for (const path of await presentKubeconfigs(host))
    found.push({
      what: `${path}, which may be of another cluster`,
      how: 'Remove it if it belongs to this one.',
    });
  const settings: string[] = [];
  for (const path of SETTINGS) if ((await host.files.stat(path)) !== undefined) settings.push(path);
  if (settings.length > 0)
    found.push({ what: `settings of the node, which the next bootstrap uses: ${settings.join(', ')}` });
  for (const path of [JOURNAL, SUPPORT_FILE])
    if ((await host.files.stat(path)) !== undefined)
      found.push({ what: `${path}, kept for whoever asks later` });
  return found;
}

/** Is there a file in the directory or up to `depth` levels below? Empty directories do not count. */
async function hasFiles(host: Host, path: string, depth: number): Promise<boolean> {
  for (const name of await host.files.list(path)) {
    const kind = (await host.files.stat(`${path}/${name}`))?.kind;
    if (kind !== 'directory') return true;
    if (depth > 0 && (await hasFiles(host, `${path}/${name}`, depth - 1))) return true;
  }
  return false;
}

async function inKernel(host: Host): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const [program, family] of [
    ['iptables-save', 'IPv4'],
    ['ip6tables-save', 'IPv6'],
  ] as const) {
    const { stdout } = await host.processes.run({
      argv: [program],
      timeoutMs: 10_000,
      keepBytes: 16 * 1024 * 1024,
    });
    const rules = stdout.match(RULES)?.length ?? 0;
    if (rules > 0)
      found.push({ what: `${rules} ${family} rules of kube-proxy or the network plugin`, how: 'Reboot.' });
  }
  const services = (await host.files.readIfPresent('/proc/net/ip_vs'))
    ?.toString('utf8')
    .match(/^(?:TCP|UDP) /gm);
  if (services) found.push({ what: `${services.length} IPVS services`, how: 'ipvsadm --clear' });
  const interfaces = (await host.files.list('/sys/class/net')).filter((name) => INTERFACES.test(name));
  if (interfaces.length > 0)
    found.push({
      what: `network interfaces: ${interfaces.join(', ')}`,
      how: 'Reboot, or ip link delete NAME.',
    });
  return found;
}
