import { normalize } from 'node:path/posix';
import type { LinkEntry } from '../../document/document.ts';
import { type Host, HostError } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';

/** A symbolic link, or another name of a file. @throws Problem FileNotWritten; HostError */
export async function makeLink(host: Host, entry: LinkEntry): Promise<void> {
  const { path, target, hard, overwrite, owner } = entry;
  const before = await host.files.stat(path);
  if (hard) return makeHardLink(host, entry);
  if (before?.kind === 'symlink' && normalize(await host.files.readlink(path)) === normalize(target)) return;
  if (before && !overwrite) throw inTheWay(path);
  if (before) await host.files.remove(path);
  await host.files.symlink(target, path);
  await host.files.setAttributes(path, host.files.owner(owner));
}

async function makeHardLink(host: Host, { path, target, overwrite }: LinkEntry): Promise<void> {
  try {
    await host.files.link(target, path);
  } catch (error) {
    if (!(error instanceof HostError) || error.errno !== 'EEXIST') throw error;
    if (!overwrite) throw inTheWay(path);
    await host.files.remove(path);
    await host.files.link(target, path);
  }
}

function inTheWay(path: string): StepError {
  const cause = `The link ${path} was not made: something else is there, and overwrite is not true`;
  return new StepError('FileNotWritten', cause);
}
