import type { RepositoryFile } from '../../../document/system-settings.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/attempt.ts';

/** Writes files that name repositories, and the keys that vouch for them. */
export const writeRepositories: Work<{ files: RepositoryFile[] }> = ({ files }) => ({
  onFailure: 'continue',
  run: ({ host }) =>
    attempt(async () => {
      const release = /^VERSION_CODENAME="?(\w+)/m.exec(
        (await host.files.readIfPresent('/etc/os-release'))?.toString('utf8') ?? '',
      )?.[1];
      let written = 0;
      for (const { path, content, keeps } of files) {
        if (keeps && (await host.files.stat(path))) continue;
        const text = content.reveal().replaceAll('$RELEASE', release ?? '$RELEASE');
        await host.files.write(path, text, { mode: 0o644 });
        written += 1;
      }
      return written === files.length ? `${written} written` : `${written} written, the others were there`;
    }),
});
