import type { ReportEntry } from '../../../document/document.ts';
import type { RepositorySettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';

/** What no program on this machine can do, nor one that it could install: known before anything is changed. */
export async function lackingForApt(
  { processes }: Pick<Host, 'processes'>,
  { files, archives = [] }: RepositorySettings,
): Promise<ReportEntry[]> {
  const wanted = [
    ...files.flatMap(({ key }) =>
      key ? [{ program: 'gpg', what: `the key ${key.id}`, where: key.where }] : [],
    ),
    ...archives.map(({ name, where }) => ({ program: 'add-apt-repository', what: name, where })),
  ];
  if (wanted.length === 0 || (await processes.which('apt-get')) !== undefined) return [];
  const lacking: ReportEntry[] = [];
  for (const { program, what, where } of wanted) {
    if ((await processes.which(program)) !== undefined) continue;
    const message = `apt: ${what} needs the program ${program}, which this machine has not, nor apt-get to install it.`;
    lacking.push({ severity: 'error', code: 'UserDataInvalid', message, ...(where ? { where } : {}) });
  }
  return lacking;
}
