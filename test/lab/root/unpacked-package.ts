import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { runOk } from '../process/command.ts';
import { privateApt, SUITE } from './apt.ts';
import { withScratchDir } from './in-root.ts';

/** The library that gives a process a wall clock of its own. */
export const FAKETIME = 'libfaketime';

/**
 * The cache entry with one package of Debian, unpacked and without its documents: for programs and libraries that run on
 * this host without being installed on it. `suite` is the Debian release that it comes from.
 *
 * @throws LabError where it cannot be fetched
 */
export function unpackedPackage(
  name: string,
  say?: (line: string) => void,
  suite: string = SUITE,
): Promise<string> {
  return cached(
    {
      name,
      recipe: { package: name, version: 1, ...(suite === SUITE ? {} : { suite }) },
      make: (made) =>
        withScratchDir(async (scratch) => {
          const apt = await privateApt(scratch, 'deb', suite);
          await apt(['download', name], scratch);
          const deb = (await readdir(scratch)).find((file) => file.startsWith(`${name}_`));
          await runOk('dpkg-deb', ['--extract', join(scratch, deb ?? `${name}.deb`), made]);
          await rm(join(made, 'usr/share/doc'), { recursive: true, force: true });
        }),
    },
    say,
  );
}
