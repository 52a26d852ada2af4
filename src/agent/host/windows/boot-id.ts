import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { win32 } from 'node:path';
import { RUN_DIR } from '../../document/paths.ts';
import { makeFolder } from './files.ts';
import { toWindows } from './paths.ts';
import { registryValue } from './registry.ts';

/** What Windows changes with every shutdown, or counts with every boot. */
const MARKS = [
  ['HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows', 'ShutdownTime'],
  [
    'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters',
    'BootId',
  ],
] as const;

/** A power loss changes no mark of the first kind; two clocks that differ by more show it. The clock may be set by less. */
const SAME_BOOT_MS = 15 * 60_000;

interface Known {
  id: string;
  marks: string;
  /** Seconds since boot when it was noted. */
  uptime: number;
  /** When the machine booted by its clock, in milliseconds since 1970. */
  bootedAt: number;
}

/**
 * Windows has no id of a boot, and nothing that a reboot empties. So Slipway keeps one of its own with what tells one boot from
 * another, and empties its run folder where the boot is a new one.
 */
export function bootId(root: string): string {
  const folder = toWindows(root, RUN_DIR);
  const path = win32.join(folder, 'boot.json');
  const known = read(path);
  const now = { marks: marks(), uptime: uptime(), bootedAt: Date.now() - uptime() * 1000 };
  if (known !== undefined && isSameBoot(known, now)) return known.id;
  const id = randomUUID();
  if (known !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  makeFolder(folder);
  writeFileSync(path, JSON.stringify({ id, ...now }));
  return id;
}

export function isSameBoot(known: Omit<Known, 'id'>, now: Omit<Known, 'id'>): boolean {
  if (known.marks !== now.marks || now.uptime < known.uptime) return false;
  return known.marks !== '' || Math.abs(now.bootedAt - known.bootedAt) < SAME_BOOT_MS;
}

function read(path: string): Known | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Missing, or torn by a power loss: another boot.
    return undefined;
  }
}

const marks = (): string => MARKS.map(([key, name]) => registryValue(key, name) ?? '').join('');
