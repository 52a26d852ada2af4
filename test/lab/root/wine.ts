import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { runOk } from '../process/command.ts';
import { privateApt } from './apt.ts';
import { fullRoot } from './debian-root.ts';
import { inRootOk, withScratchDir } from './in-root.ts';

/** The first release of Debian whose Wine runs Node.js 24. Its C library, put over an older one, serves the older programs too. */
const SUITE = 'trixie';
const PACKAGES = ['libwine', 'wine64', 'libz-mingw-w64', 'libc6', 'libunwind8'];

/** Wine's own library, which its packages put in place when they are installed; these are only unpacked. */
const ZLIB = 'usr/x86_64-w64-mingw32/lib/zlib1.dll';
const BUILT_IN = 'usr/lib/x86_64-linux-gnu/wine/x86_64-windows';

/** Where a Windows machine's files lie in the root: its drive C is `drive_c` in it. */
const PREFIX = '/wine';

/** No windows, no words about what Wine lacks, no .NET and no web pages. */
export const WINE_ENVIRONMENT: Readonly<Record<string, string>> = {
  WINEPREFIX: PREFIX,
  WINEDEBUG: '-all',
  DISPLAY: '',
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  PATH: '/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin',
};

/** Folder of drive C in a root of `wineLayers`. */
export const DRIVE_C = `${PREFIX}/drive_c`;

/**
 * Lower directories (uppermost first) of a root in which a Windows machine of Wine lies; `wine64 PROGRAM.exe` runs on it. 115 MB to
 * fetch, 1.5 GB on disk, half a minute the first time.
 *
 * @throws LabError where it cannot be had
 */
export async function wineLayers(say?: (line: string) => void): Promise<string[]> {
  const base = await fullRoot(say);
  const dir = await cached(
    {
      name: 'wine',
      recipe: { suite: SUITE, base, packages: PACKAGES, version: 1 },
      make: async (made) => {
        const programs = join(made, 'programs');
        await unpack(programs);
        await makeMachine([programs, base], join(made, 'machine'));
      },
    },
    say,
  );
  return [join(dir, 'machine'), join(dir, 'programs'), base];
}

async function unpack(into: string): Promise<void> {
  await mkdir(into, { mode: 0o755 });
  await withScratchDir(async (scratch) => {
    const apt = await privateApt(scratch, 'deb', SUITE);
    await apt(['download', ...PACKAGES], scratch);
    const packages = (await readdir(scratch)).filter((name) => name.endsWith('.deb'));
    for (const name of packages) await runOk('dpkg-deb', ['--extract', join(scratch, name), into]);
  });
  await rm(join(into, 'usr/share/doc'), { recursive: true, force: true });
  await copyFile(join(into, ZLIB), join(into, BUILT_IN, 'zlib1.dll'));
}

async function makeMachine(lower: string[], upper: string): Promise<void> {
  await mkdir(upper, { mode: 0o755 });
  await inRootOk({
    what: 'making a Windows machine of Wine',
    lower,
    upper,
    env: WINE_ENVIRONMENT,
    // Node.js asks for Windows 10. The server writes the registry when it ends.
    script: `mkdir -p ${DRIVE_C}/windows/system32
cp /${ZLIB} ${DRIVE_C}/windows/system32/
wine64 wineboot.exe -i && wineserver -w
wine64 winecfg.exe -v win10 && wineserver -w`,
    timeoutMs: 600_000,
  });
}
