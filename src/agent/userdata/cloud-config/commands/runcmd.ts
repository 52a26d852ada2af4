import { sensitive } from '../../../../secrets/sensitive.ts';
import type { Command, KubeadmCommand } from '../../../document/document.ts';
import { mentionsKubeadmBootstrap } from '../../../kubeadm/config/mentions-kubeadm.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { YamlNode } from '../../../text/yaml/yaml-node.ts';
import { liftKubeadm, liftKubeadmCall } from './lift.ts';
import { readShellItems, type ShellItem } from './shell.ts';

/**
 * `runcmd`: commands that run once, in one shell (cloud-init's `cc_runcmd`). A call of kubeadm that bootstraps this machine,
 * as a line or as a list, becomes a step of its own.
 */
export function readRuncmd(node: YamlNode, diagnostics: Diagnostics): (Command | KubeadmCommand)[] {
  return readShellItems(node, 'runcmd', diagnostics).map((item) => lifted(item, diagnostics));
}

function lifted({ command, words }: ShellItem, diagnostics: Diagnostics): Command | KubeadmCommand {
  const shell = command.shell.reveal();
  const call = words === undefined ? liftKubeadm(shell) : liftKubeadmCall(words);
  if (call === undefined) {
    if (mentionsKubeadmBootstrap(shell)) {
      const what = 'runcmd: this command calls kubeadm in a way that is left to the shell';
      diagnostics.warn(
        'KubeadmNotTakenOver',
        `${what}: Slipway runs it once and waits for the node, but does not retry the call.`,
        command.where,
      );
    }
    return command;
  }
  const { args, ...rest } = call;
  const where = command.where === undefined ? {} : { where: command.where };
  return { kind: 'kubeadm', ...rest, args: sensitive(args), ...where };
}

/** `bootcmd`: commands for every boot; they run before files are written (cloud-init's `cc_bootcmd`). */
export function readBootcmd(node: YamlNode, diagnostics: Diagnostics): Command[] {
  return readShellItems(node, 'bootcmd', diagnostics).map((item) => item.command);
}
