import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { uptime } from 'node:os';
import { win32 } from 'node:path';
import { omitUndefined } from '../../../kit/json.ts';
import { RUN_DIR, STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../host.ts';
import { readKey, setValue } from '../windows-registry.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { makeFolder } from './files.ts';
import { withFileLock } from './lock.ts';
import { toWindowsPath } from './paths.ts';

/**
 * Windows makes this key anew at each boot and keeps it in memory alone, and so what is written into it: a shutdown, a power
 * loss and a clock that is set are alike to it (Microsoft: "Registry Hives", HKEY_LOCAL_MACHINE\HARDWARE has no file).
 */
const OF_THIS_BOOT = { key: 'HKLM\\HARDWARE\\DESCRIPTION\\System', name: 'SlipwayBootId' } as const;

/** What counts each boot; not every edition of Windows has it. */
const COUNTER =
  'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters';
/** What a shutdown changes, but no power loss. */
const SHUTDOWN = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows';

/** The same boot begins at the same time, but for what the clock was set by. */
const SAME_BOOT_MS = 2 * 60_000;

interface Marks {
  counter?: string;
  shutdown?: string;
  /** Seconds since boot when it was noted. */
  uptime: number;
  /** When the machine booted by its clock, in milliseconds since 1970. */
  bootedAt: number;
}

interface Known extends Marks {
  id: string;
  /** The key of this boot has it too: where it lacks it, the boot is another one. */
  inKey: boolean;
}

/**
 * Windows has no id of a boot, and no folder that a reboot empties. So Slipway gives each boot one, and empties its run folder
 * where what lies there is of another boot.
 *
 * @throws Error of the system where the run folder cannot be emptied or made
 */
export async function bootId(machine: Pick<Host, 'env' | 'processes'>, root: string): Promise<string> {
  const folder = toWindowsPath(root, RUN_DIR);
  const path = win32.join(folder, 'boot.json');
  const given = async () => (await readKey(machine, OF_THIS_BOOT.key)).get(OF_THIS_BOOT.name.toLowerCase());
  const seen = await given();
  if (seen !== undefined && read(path)?.id === seen) return seen;
  // Agent and reporter start together, and one of them begins the boot for both.
  return withFileLock(toWindowsPath(root, `${STATE_DIR}/boot.lock`), async () => {
    const known = read(path);
    const marks = await readMarks(machine);
    const there = await given();
    if (known !== undefined && isOf(known, there, marks)) return known.id;
    const id = there ?? randomUUID();
    if (there === undefined) await setValue(machine, { ...OF_THIS_BOOT, type: 'REG_SZ', text: id });
    const inKey = (await given()) === id;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    makeFolder(folder);
    const content = Buffer.from(JSON.stringify({ id, inKey, ...marks }));
    writeFileAtomically({ path, content, isPrivate: false, volatile: false });
    return id;
  });
}

function isOf(known: Known, inKey: string | undefined, marks: Marks): boolean {
  if (inKey !== undefined) return inKey === known.id;
  return !known.inKey && isSameBoot(known, marks);
}

/** Where nothing can be written that the boot takes with it: are these the marks of one boot? */
export function isSameBoot(known: Marks, now: Marks): boolean {
  if (now.uptime < known.uptime) return false;
  const [counted, shut] = (['counter', 'shutdown'] as const).map((mark) =>
    known[mark] === undefined || now[mark] === undefined ? undefined : known[mark] === now[mark],
  );
  if (counted === false || shut === false) return false;
  return counted === true || Math.abs(now.bootedAt - known.bootedAt) < SAME_BOOT_MS;
}

async function readMarks(machine: Pick<Host, 'env' | 'processes'>): Promise<Marks> {
  const counter = (await readKey(machine, COUNTER)).get('bootid');
  const shutdown = (await readKey(machine, SHUTDOWN)).get('shutdowntime');
  const up = uptime();
  return {
    ...omitUndefined({ counter, shutdown }),
    ...{ uptime: up, bootedAt: Date.now() - up * 1000 },
  };
}

function read(path: string): Known | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Missing, or damaged: nothing says that what lies beside it is of this boot.
    return undefined;
  }
}
