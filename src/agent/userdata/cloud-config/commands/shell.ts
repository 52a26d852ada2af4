import { sensitive } from '../../../../kit/sensitive.ts';
import type { Command } from '../../../document/document.ts';
import { printable, type Report } from '../../../text/report.ts';
import { describe, type Node, pythonText } from '../../../text/yaml/node.ts';

/** An item of a command list: the text that cloud-init's `shellify` would write, and how the user wrote it. */
export interface ShellItem {
  command: Command;
  /** The user gave a shell line, not a list of words. */
  line: boolean;
}

/**
 * `bootcmd` and `runcmd` to shell text by cloud-init's rules (`util.shellify`): a string is copied as it stands, a list
 * is an argument vector with every word in single quotes (numbers and booleans as Python writes them), null is passed
 * over, and anything else is an error.
 */
export function readShellItems(node: Node, key: string, report: Report): ShellItem[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'sequence') {
    report.error('UserDataInvalid', `${key} must be a list of commands, not ${describe(node)}.`, node.where);
    return [];
  }
  return node.items.flatMap((item): ShellItem[] => {
    if (item.kind === 'null') return [];
    if (item.kind === 'string') return [{ command: command(item.value, item), line: true }];
    if (item.kind === 'sequence') {
      const words = item.items.map((word) => quoted(word, key, report));
      return [{ command: command(words.join(' '), item), line: false }];
    }
    report.error(
      'UserDataInvalid',
      `${key}: a command must be a string or a list of strings, not ${describe(item)}.${hint(item)}`,
      item.where,
    );
    return [];
  });
}

function command(shell: string, node: Node): Command {
  return { kind: 'command', shell: sensitive(shell), program: programOf(shell), where: node.where };
}

function quoted(word: Node, key: string, report: Report): string {
  const text = pythonText(word);
  if (text === undefined) {
    report.error(
      'UserDataInvalid',
      `${key}: a word of a command must be a string, not ${describe(word)}.`,
      word.where,
    );
    return "''";
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hint(item: Node): string {
  return item.kind === 'mapping' ? ' A line that holds ": " must be quoted.' : '';
}

/**
 * First word of a shell line, for people. Only a plain word is shown; assignments, substitutions and quoting that could
 * hold a secret give `sh`.
 */
export function programOf(shell: string): string {
  const first = /^\s*(\S+)/.exec(shell)?.[1] ?? '';
  const bare = first.replace(/^'([^']*)'$/, '$1').replace(/;$/, '');
  return /^[A-Za-z0-9_./+[-][A-Za-z0-9_./+-]*$/.test(bare) ? printable(bare) : 'sh';
}
