import { sensitive } from '../../../../secrets/sensitive.ts';
import type { Command, KubeadmCommand } from '../../../document/document.ts';
import { mentionsKubeadmBootstrap } from '../../../kubeadm/config/invocation.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { quoted } from '../../../text/shell-word.ts';
import { describe, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { liftKubeadm, liftKubeadmCall } from './lift.ts';

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
      const what = 'runcmd: this command calls kubeadm through the shell';
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

/** An item of a command list: the text by cloud-init's `shellify`. */
interface ShellItem {
  command: Command;
  /** The words of an item that is a list, in which the shell reads nothing. They may hold a token. */
  words?: string[];
}

/**
 * Turns `bootcmd` and `runcmd` into shell text by cloud-init's rules (`util.shellify`): it copies a string
 * and skips null; it puts every word of a list into single quotes (numbers and booleans as Python writes
 * them); anything else is an error.
 */
function readShellItems(node: YamlNode, key: string, diagnostics: Diagnostics): ShellItem[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'sequence') {
    diagnostics.error(
      'UserDataInvalid',
      `${key} must be a list of commands, not ${describe(node)}.`,
      node.where,
    );
    return [];
  }
  return node.items.flatMap((item): ShellItem[] => {
    if (item.kind === 'null') return [];
    if (item.kind === 'string') return [{ command: command(item.value, item) }];
    if (item.kind === 'sequence') {
      const words = item.items.map((word) => wordOf(word, key, diagnostics));
      return [{ command: command(words.map(quoted).join(' '), item), words }];
    }
    diagnostics.error(
      'UserDataInvalid',
      `${key}: a command must be a string or a list of strings, not ${describe(item)}.${hint(item)}`,
      item.where,
    );
    return [];
  });
}

function command(shell: string, node: YamlNode): Command {
  return { kind: 'command', shell: sensitive(shell), program: programOf(shell), where: node.where };
}

function wordOf(word: YamlNode, key: string, diagnostics: Diagnostics): string {
  const text = pythonText(word);
  if (text !== undefined) return text;
  diagnostics.error(
    'UserDataInvalid',
    `${key}: an argument of a command must be a string, not ${describe(word)}.`,
    word.where,
  );
  return '';
}

function hint(item: YamlNode): string {
  return item.kind === 'mapping' ? ' A line that contains ": " must be quoted.' : '';
}

/** Mostly a line begins with such a word. */
const PLAIN = /^[A-Za-z0-9_./+[-][A-Za-z0-9_./+-]*(?!\S)/;

/**
 * The first word of a shell line, for people. Only a plain word may be shown; assignments, substitutions and
 * quotes could hold a secret, so they give `sh`.
 */
function programOf(shell: string): string {
  const plain = PLAIN.exec(shell)?.[0];
  if (plain !== undefined) return printable(plain);
  const first = /^\s*(\S+)/.exec(shell)?.[1] ?? '';
  const bare = first.replace(/^'([^']*)'$/, '$1').replace(/;$/, '');
  return /^[A-Za-z0-9_./+[-][A-Za-z0-9_./+-]*$/.test(bare) ? printable(bare) : 'sh';
}
