import type { Command, Document, Position } from '../../document/document.ts';
import { scriptOf } from '../../userdata/scripts.ts';
import { type ShellCommand, splitCommands } from '../shell/split-commands.ts';

/** A text that a shell runs. */
export interface ShellText {
  /** `runcmd`, `bootcmd`, the name of a script, or the path of a file. */
  place: string;
  text: string;
  /** A script of its own, that could have `set -e`. */
  isScript: boolean;
  /** It has `set -e`, and so on; asked once, because texts are as long as strangers make them. */
  stopsAtFailure: boolean;
  hasPipefail: boolean;
  pieces: ShellCommand[];
  where?: Position | undefined;
}

/** A file of the document as text; binary ones are left out. */
export interface FileText {
  path: string;
  text: string;
  mode: number;
  owner: string;
  append: boolean;
  where?: Position | undefined;
  textAt?: Position | undefined;
}

/** What rules look at. */
export interface LintInput {
  raw: Buffer;
  document: Document;
  shells: ShellText[];
  files: FileText[];
}

const LARGEST_TEXT = 1024 * 1024;
const SHELL_LINE = /^#!\s*\S*\/(?:env\s+)?(?:ba|da|k|z)?sh\b/;

const SET_E = /^#!.*\s-\w*e|(?:^|[\n;])[^\S\n]*set\s+(?:-\w*e|-o\s+errexit|-\w+\s+-\w*e)/;
const PIPEFAIL = /set\s+(?:-\w*o\s+pipefail|-o\s+pipefail|-\w+\s+-\w*o\s+pipefail)/;

export function toLintInput(raw: Buffer, document: Document): LintInput {
  const files = document.files.flatMap(
    ({ path, content, mode, owner, append, where, textAt }): FileText[] => {
      const bytes = Buffer.from(content.reveal());
      if (bytes.length > LARGEST_TEXT || bytes.includes(0)) return [];
      return [{ path, text: bytes.toString('utf8'), mode, owner, append, where, textAt }];
    },
  );
  const shells = [
    ...document.bootCommands.map((command) => ofCommand(command, 'bootcmd')),
    ...document.commands.flatMap((command) =>
      command.kind === 'command' ? ofCommand(command, 'runcmd') : [],
    ),
    ...files
      .filter(({ text }) => SHELL_LINE.test(text))
      .map(({ path, text, where }) => shellText(path, text, true, where)),
  ];
  return { raw, document, shells, files };
}

function ofCommand(command: Command, list: string): ShellText {
  const script = scriptOf(command);
  if (script === undefined) return shellText(list, command.shell.reveal(), false, command.where);
  // Another interpreter's text is not a shell's.
  const text = SHELL_LINE.test(script) ? script : '';
  return shellText(`the script ${command.program}`, text, true, command.where);
}

function shellText(place: string, text: string, isScript: boolean, where: Position | undefined): ShellText {
  const stopsAtFailure = SET_E.test(text);
  const hasPipefail = PIPEFAIL.test(text);
  return { place, text, isScript, stopsAtFailure, hasPipefail, pieces: splitCommands(text), where };
}
