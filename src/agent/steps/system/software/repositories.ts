import type { Diagnostic, FetchSettings } from '../../../document/document.ts';
import type { RepositoryFile, RepositorySettings } from '../../../document/system-settings.ts';
import type { StepContext } from '../../../engine/step.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { entryAt, type PreviewContext } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';
import { installForApt } from './packages.ts';

export type RepositoriesSpec = RepositorySettings & { proxy?: NonNullable<FetchSettings['proxy']> };

const ARCHIVE_MS = 300_000;

/** Writes files that name repositories, and the keys that vouch for them (cloud-init's `cc_apt_configure` and the like). */
export const writeRepositories: Work<RepositoriesSpec> = ({ files, archives = [], proxy }) => ({
  onFailure: 'continue',
  attempts: 5,
  async run(context) {
    const { host, signal } = context;
    const result = await attempt(async () => {
      const release = /^VERSION_CODENAME="?(\w+)/m.exec(
        (await host.files.readIfPresent('/etc/os-release'))?.toString('utf8') ?? '',
      )?.[1];
      let written = 0;
      for (const file of files) {
        if (file.keeps && (await host.files.stat(file.path))) continue;
        const text = await contentOf(file, proxy, context);
        await host.files.write(file.path, text.replaceAll('$RELEASE', release ?? '$RELEASE'), {
          mode: 0o644,
        });
        written += 1;
      }
      for (const { name } of archives) {
        await installForApt('add-apt-repository', 'software-properties-common', context);
        const argv: [string, ...string[]] = ['add-apt-repository', '--yes', '--no-update', name];
        const how = { doing: `add the archive ${name}`, code: 'PackagesNotInstalled' } as const;
        await runTool(host, argv, { ...how, timeoutMs: ARCHIVE_MS, signal });
      }
      const told =
        written === files.length ? `${written} written` : `${written} written, the others were there`;
      return archives.length === 0 ? told : `${told}, ${archives.length} added`;
    });
    // A node is not to wait for a key until its deadline.
    return !result.done && result.retry === 'until-deadline' ? { ...result, retry: 'yes' } : result;
  },
});

async function contentOf(
  { content, key }: RepositoryFile,
  proxy: RepositoriesSpec['proxy'],
  context: StepContext,
): Promise<string> {
  if (key === undefined) return content.reveal();
  await installForApt('gpg', 'gnupg', context);
  const { keyFromServer } = await import('./server-key.ts');
  return keyFromServer(context.host, key, proxy, context.signal);
}

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
