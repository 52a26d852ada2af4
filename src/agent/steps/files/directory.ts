import type { DirectoryEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';
import { giveAttributes } from './attributes.ts';

/** A directory; its missing parents are root's. @throws Problem FileNotWritten; HostError */
export async function makeDirectory(host: Host, entry: DirectoryEntry): Promise<void> {
  const { path, rule } = entry;
  if (rule.present === 'remove') await host.files.remove(path);
  const found = await host.files.stat(path);
  if (found && found.kind !== 'directory') {
    throw new StepError(
      'FileNotWritten',
      `The directory ${path} was not made: something else is there, and overwrite is not true`,
    );
  }
  if (!found) await host.files.mkdir(path, 0o755);
  const isNew = found === undefined;
  await giveAttributes(host, { ...entry, rule: isNew ? { ...rule, unsaid: [] } : rule });
}
