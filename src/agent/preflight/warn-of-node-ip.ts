import { canonicalAddress, ownAddresses } from '../cluster/node-addresses.ts';
import type { Diagnostic, Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { requestedNodeIps } from '../kubeadm/config/kubelet/node-registration.ts';
import { readCall } from '../kubeadm/config/read-call.ts';
import { withStart } from '../startup/starting.ts';
import { describeAddresses } from './checks/kubernetes/node-ip.ts';
import { fileOf, kubeadmCommandOf } from './from-document.ts';

/** Where files set up the network. */
const NETWORK_FILES = /^\/etc\/(?:netplan|systemd\/network|NetworkManager|network|sysconfig\/network)/;

/**
 * Warns of a `node-ip` that no interface of this machine has. Says nothing where something of the user data runs before kubeadm or
 * sets up the network: that may bring the address, and the check before kubeadm looks again.
 */
export async function warnOfNodeIp(host: Host, document: Document): Promise<Diagnostic[]> {
  const command = kubeadmCommandOf(document);
  const path = command?.configPath;
  const text = fileOf(document, path);
  if (command === undefined || text === undefined || mayChange(document)) return [];
  const asked = requestedNodeIps(readCall(command, text).config?.nodeIp);
  if (asked.length === 0) return [];
  const own = await ownAddresses(host);
  const strange = own.size === 0 ? [] : asked.filter((address) => !own.has(canonicalAddress(address)));
  const where = document.files.findLast((file) => file.path === path)?.where;
  return Promise.all(
    strange.map(async (address): Promise<Diagnostic> => {
      const found = `node-ip ${address} is not an address of this machine (${describeAddresses(host)}); kubeadm would not run.`;
      const message = await withStart(host, 'NodeIpNotOnMachine', found);
      return { severity: 'warning', code: 'NodeIpNotOnMachine', message, ...(where ? { where } : {}) };
    }),
  );
}

function mayChange({
  bootCommands,
  bootScripts = [],
  commands,
  network,
  files,
  units = [],
}: Document): boolean {
  return (
    bootCommands.length > 0 ||
    bootScripts.length > 0 ||
    commands[0]?.kind !== 'kubeadm' ||
    network !== undefined ||
    units.length > 0 ||
    files.some(({ path }) => NETWORK_FILES.test(path))
  );
}
