import type { Diagnostic, Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { otherNodeName } from '../kubeadm/config/kubelet/node-registration.ts';
import { readCall } from '../kubeadm/config/read-call.ts';
import { fileOf, kubeadmCommandOf } from './from-document.ts';

/** Warns where the kubelet would register under another name than that of this machine, for which kubeadm looks. */
export function foreseeNodeName(host: Host, document: Document): Diagnostic[] {
  const command = kubeadmCommandOf(document);
  const text = fileOf(document, command?.configPath);
  if (command === undefined || text === undefined) return [];
  const { nodeName, hostnameOverride } = readCall(command, text).config ?? {};
  // Where the configuration names the node, its own check compares the two.
  if (nodeName !== undefined) return [];
  const { hostname } = document;
  const given = hostname?.prefersFqdn === true ? (hostname.fqdn ?? hostname.name) : hostname?.name;
  const name = given ?? host.hostname();
  const other = otherNodeName(name, hostnameOverride);
  if (other === undefined) return [];
  const where = document.files.findLast((file) => file.path === command.configPath)?.where;
  return [
    {
      severity: 'warning',
      code: 'NodeNameWrong',
      message: `the kubelet would register as ${other} (hostname-override) and kubeadm would look for ${name}, the machine's name.`,
      ...(where ? { where } : {}),
    },
  ];
}
