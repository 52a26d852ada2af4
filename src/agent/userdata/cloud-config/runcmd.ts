import { sensitive } from '../../../kit/sensitive.ts';
import type { Command, KubeadmCommand } from '../../../protocol/document.ts';
import { liftKubeadm } from '../../kubeadm/lift.ts';
import type { Report } from '../report.ts';
import type { Node } from '../yaml/node.ts';
import { readShellItems, type ShellItem } from './shell.ts';

/**
 * `runcmd`: commands that run once, in one shell (cloud-init's `cc_runcmd`). The line with which Cluster API starts
 * kubeadm becomes a step of its own.
 */
export function readRuncmd(node: Node, report: Report): (Command | KubeadmCommand)[] {
  return readShellItems(node, 'runcmd', report).map(lifted);
}

function lifted({ command, line }: ShellItem): Command | KubeadmCommand {
  const call = line ? liftKubeadm(command.shell.reveal()) : undefined;
  if (call === undefined) return command;
  const { args, ...rest } = call;
  const where = command.where === undefined ? {} : { where: command.where };
  return { kind: 'kubeadm', ...rest, args: sensitive(args), ...where };
}
