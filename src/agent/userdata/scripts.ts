import { digest } from '../../kit/digest.ts';
import { sensitive } from '../../kit/sensitive.ts';
import type { Command } from '../document/document.ts';
import { STATE_DIR } from '../document/paths.ts';
import type { Part } from './decode/part.ts';

const DIRECTORY = `${STATE_DIR}/scripts`;

/**
 * A part that is a whole script (`#!...`) as one command of the shell script that Slipway runs: the text is put into a
 * file of its own, because its first line names the interpreter; the file is run and removed again, because it may
 * hold secrets. cloud-init keeps such scripts in its instance directory and runs them in the order of their names,
 * `runcmd` among them.
 */
export function scriptCommand(part: Part): Command {
  const name = fileName(part.name);
  const text = part.source.text.trimStart();
  return {
    kind: 'command',
    shell: sensitive(runFromFile(`${DIRECTORY}/${name}`, text)),
    program: name,
    where: part.source.locate(0),
  };
}

/** A boothook: like a script, run at every boot; a `#cloud-boothook` line before the interpreter line is taken away. */
export function boothookCommand(part: Part): Command {
  const text = part.source.text
    .trimStart()
    .replace(/^#cloud-boothook/i, '')
    .trimStart();
  return scriptCommand({ ...part, source: { ...part.source, text } });
}

function runFromFile(path: string, text: string): string {
  const end = endMark(text);
  const body = text.endsWith('\n') ? text : `${text}\n`;
  return [
    `mkdir -p -m 0700 '${DIRECTORY}' && (umask 077 && cat > '${path}') <<'${end}'`,
    `${body}${end}`,
    `chmod 0700 '${path}' && '${path}'; (slipway_status=$?; rm -f '${path}'; exit "$slipway_status")`,
  ].join('\n');
}

/** A line that does not occur in the text: a text cannot hold its own digest. */
function endMark(text: string): string {
  return `SLIPWAY_END_${digest(text).slice(0, 24)}`;
}

/** cloud-init's `clean_filename`: slashes become underscores, other unusual characters go. */
function fileName(name: string): string {
  const clean = name.replaceAll('/', '_').replace(/[^A-Za-z0-9_.()-]/g, '');
  return /^[.-]*$/.test(clean) ? 'script' : clean.slice(0, 128);
}

/** The name under which `runcmd` takes part in the order of scripts. */
export const RUNCMD_NAME = 'runcmd';
