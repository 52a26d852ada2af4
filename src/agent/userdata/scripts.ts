import { digest } from '../../kit/digest.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import type { Command } from '../document/document.ts';
import { STATE_DIR } from '../document/paths.ts';
import { embeddedScript, windowsForm, windowsScripts } from '../text/scripts.ts';
import { quoted } from '../text/shell-word.ts';
import type { Part } from './decode/part.ts';

const DIRECTORY = `${STATE_DIR}/scripts`;

/**
 * Turns a part that is a whole script (`#!...`) into one command of Slipway's shell script. The command
 * writes the text to a file, because its first line names the interpreter, runs the file, and removes it,
 * because it may hold secrets. `prefix`: words before it, which run it. cloud-init keeps such scripts in its instance directory and runs them, and
 * `runcmd` among them, in the order of their names.
 */
export function scriptCommand(part: Part, prefix: readonly string[] = []): Command {
  const name = fileName(part.name);
  const text = part.source.text.trimStart();
  return {
    kind: 'command',
    shell: sensitive(runFromFile(`${DIRECTORY}/${name}`, text, prefix)),
    program: name,
    where: part.source.locate(0),
  };
}

/** A script for Windows, as it is: what runs it there goes by its first line. One of EC2 may hold several. */
export function windowsCommands(part: Part): Command[] {
  const where = part.source.locate(0);
  const [program] = fileName(part.name).split('.');
  return (windowsScripts(part.source.text) ?? []).map((text) => ({
    kind: 'command',
    shell: sensitive(text),
    program: `${program}.${windowsForm(text) === 'cmd' ? 'cmd' : 'ps1'}`,
    where,
  }));
}

/** A boothook: a script for every boot. It drops a `#cloud-boothook` line before the interpreter line. */
export function boothookCommand(part: Part): Command {
  const text = part.source.text
    .trimStart()
    .replace(/^#cloud-boothook/i, '')
    .trimStart();
  return scriptCommand({ ...part, source: { ...part.source, text } });
}

/** A script that runs once in the life of the machine, whatever instance it is: a file tells that it has run. */
export function onceCommand(part: Part): Command {
  const command = scriptCommand(part);
  const done = `${STATE_DIR}/once/${digest(part.source.text).slice(0, 24)}`;
  const shell = [
    `if [ ! -e '${done}' ]; then`,
    `mkdir -p -m 0700 '${STATE_DIR}/once' && : > '${done}'`,
    command.shell.reveal(),
    'fi',
  ].join('\n');
  return { ...command, shell: sensitive(shell) };
}

function runFromFile(path: string, text: string, prefix: readonly string[]): string {
  const end = endMark(text);
  const body = text.endsWith('\n') ? text : `${text}\n`;
  return [
    `mkdir -p -m 0700 '${DIRECTORY}' && (umask 077 && cat > '${path}') <<'${end}'`,
    `${body}${end}`,
    `chmod 0700 '${path}' && ${[...prefix.map(quoted), `'${path}'`].join(' ')}; (slipway_status=$?; rm -f '${path}'; exit "$slipway_status")`,
  ].join('\n');
}

/** The script that one of these commands runs; undefined for any other command. */
export function scriptOf({ shell }: Command): string | undefined {
  const text = shell.reveal();
  if (windowsForm(text) !== undefined) return text;
  return text.includes(`mkdir -p -m 0700 '${DIRECTORY}' `) ? embeddedScript(text)?.text : undefined;
}

/** A line that does not occur in the text, because no text can hold its own digest. */
function endMark(text: string): string {
  return `SLIPWAY_END_${digest(text).slice(0, 24)}`;
}

/** cloud-init's `clean_filename`: slashes become underscores, other unusual characters vanish. */
function fileName(name: string): string {
  const clean = name.replaceAll('/', '_').replace(/[^A-Za-z0-9_.()-]/g, '');
  return /^[.-]*$/.test(clean) ? 'script' : clean.slice(0, 128);
}

/** The name by which `runcmd` is sorted among the scripts. */
export const RUNCMD_NAME = 'runcmd';
