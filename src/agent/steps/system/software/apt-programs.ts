import type { Diagnostic } from '../../../document/document.ts';
import type { RepositorySettings } from '../../../document/system-settings.ts';
import { entryAt, type PreviewContext } from '../../kind/preview.ts';

/** What no program on this machine can do, nor one that it could install. */
export async function previewRepositories(
  specs: readonly RepositorySettings[],
  { host }: PreviewContext,
): Promise<Diagnostic[]> {
  const wanted = specs.flatMap(({ files, archives = [] }) => [
    ...files.flatMap(({ key }) =>
      key ? [{ program: 'gpg', what: `the key ${key.id}`, where: key.where }] : [],
    ),
    ...archives.map(({ name, where }) => ({ program: 'add-apt-repository', what: name, where })),
  ]);
  if (wanted.length === 0 || host === undefined) return [];
  if ((await host.processes.which('apt-get')) !== undefined) return [];
  const lacking: Diagnostic[] = [];
  for (const { program, what, where } of wanted) {
    if ((await host.processes.which(program)) !== undefined) continue;
    const message = `apt: ${what} needs the program ${program}, which this machine has not, nor apt-get to install it.`;
    lacking.push(entryAt('error', where, 'UserDataInvalid', message));
  }
  return lacking;
}
