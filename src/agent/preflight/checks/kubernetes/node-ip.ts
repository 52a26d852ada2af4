import { canonicalAddress, ownAddresses } from '../../../cluster/node-addresses.ts';
import type { Host } from '../../../host/host.ts';
import { showUnits } from '../../../host/show-units.ts';
import { requestedNodeIps } from '../../../kubeadm/config/kubelet/node-registration.ts';
import { type Check, type PreflightFinding, preflightFinding, readText } from '../check.ts';

const ASK_MS = 800;
/** Where the drop-in of kubeadm looks for KUBELET_EXTRA_ARGS, on Debian's kin and on Fedora's. */
const EXTRA_ARGUMENTS = ['/etc/default/kubelet', '/etc/sysconfig/kubelet'];
const MOST_NAMED = 5;

/**
 * A kubelet whose `--node-ip` no interface has gives its Node no address at all, and the Node is Ready all the same: no logs, no
 * exec, no routes.
 */
export const nodeIp: Check = {
  name: 'node IP',
  async run(host, { config, addressMayCome }) {
    if (config === undefined) return [];
    // The unit puts these behind the arguments of kubeadm, and the last one counts.
    const file = await extraArguments(host);
    const ofFile = argumentIn(file?.text, 'node-ip');
    const asked = requestedNodeIps(ofFile ?? config.nodeIp);
    if (asked.length === 0) return [];
    const own = await ownAddresses(host);
    const strange = own.size === 0 ? [] : asked.filter((address) => !own.has(canonicalAddress(address)));
    const path = ofFile === undefined ? undefined : file?.path;
    return strange.map((address) => notHere(host, address, path, addressMayCome === true));
  },
};

/** @param path of the file that names it, where it is not kubeadm's configuration */
function notHere(host: Host, address: string, path: string | undefined, mayCome: boolean): PreflightFinding {
  const where = path === undefined ? '' : ` (in ${path})`;
  const later = mayCome ? '; a command after kubeadm may add it, and until then the Node has no address' : '';
  const message = `--node-ip ${address}${where} is not an address of this machine (${describeAddresses(host)})${later}`;
  return preflightFinding(mayCome ? 'warning' : 'fatal', 'NodeIpNotOnMachine', message, {
    kubeadmCheck: 'NodeIP',
  });
}

/** `10.99.0.11 on eth0`. */
export function describeAddresses(host: Pick<Host, 'interfaceAddresses'>): string {
  const all = host
    .interfaceAddresses()
    .map(({ name, address }) => ({ name, address: address.replace(/\/.*$/, '') }))
    .filter(({ address }) => !/^(?:127\.|::1$|fe80:)/i.test(address));
  const shown = all.slice(0, MOST_NAMED).map(({ name, address }) => `${address} on ${name}`);
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  return all.length === 0 ? 'which has none reachable from outside' : `${shown.join(', ')}${more}`;
}

/** The value of a flag of the kubelet in such a line; undefined where it is not there. */
export const argumentIn = (line = '', name: string): string | undefined =>
  new RegExp(`(?:^|[\\s"'=])--${name}(?:=|\\s+)["']?([^\\s"']+)`).exec(line)?.[1];

/** The file of extra arguments that the kubelet's unit reads; undefined where it reads none of the usual ones, or nobody knows. */
export async function extraArguments(host: Host): Promise<{ path: string; text: string } | undefined> {
  const [unit] = (await showUnits(host, ['kubelet.service'], ['EnvironmentFiles'], ASK_MS)) ?? [];
  // Of several files systemd prints the one read last on the last line.
  const path = EXTRA_ARGUMENTS.find((known) => unit?.get('EnvironmentFiles')?.startsWith(`${known} `));
  const text = path === undefined ? undefined : await readText(host, path);
  if (path === undefined || text === undefined) return undefined;
  const line = text.split('\n').findLast((each) => /^\s*KUBELET_EXTRA_ARGS=/.test(each));
  return line === undefined ? undefined : { path, text: line };
}
