import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, recipeDigest } from './cache/cache.ts';
import { destroyGroup, topGroups } from './host/cgroups.ts';
import { lock } from './process/lock.ts';
import { alive, type ProcessId } from './process/process-id.ts';
import { sweepScratch } from './root/in-root.ts';

/** What is known of a lab on disk, so that somebody else can take it away. */
interface LabRecord {
  id: string;
  /** The process whose death ends the lab; null for a lab that belongs to the person at the keyboard. */
  owner: ProcessId | null;
  /** The process that holds the switch's network namespace. */
  holder: ProcessId;
  /** The host's boot: process numbers of an earlier one mean nothing. */
  hostBoot: string;
}

/** The id of the lab that `npm run lab -- up` makes. */
export const USER_LAB = 'user';

const GROUP_PREFIX = 'slipway-lab-';

export function labsDir(): string {
  return join(cacheDir(), 'labs');
}

export function labDir(id: string): string {
  return join(labsDir(), id);
}

/** The control group of a lab, relative to each hierarchy. A person has one lab for each cache directory. */
export function labGroup(id: string): string {
  return `${GROUP_PREFIX}${id === USER_LAB ? `${id}-of-${recipeDigest(cacheDir())}` : id}`;
}

export function hostBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export async function writeRecord(record: LabRecord): Promise<void> {
  const file = join(labDir(record.id), 'lab.json');
  await writeFile(`${file}.new`, `${JSON.stringify(record)}\n`);
  await rename(`${file}.new`, file);
}

/** undefined where there is no such lab, or one that died before it wrote its record. */
export async function readRecord(id: string): Promise<LabRecord | undefined> {
  const text = await readFile(join(labDir(id), 'lab.json'), 'utf8').catch(absentAs(undefined));
  return text === undefined ? undefined : (JSON.parse(text) as LabRecord);
}

export async function labIds(): Promise<string[]> {
  await mkdir(labsDir(), { recursive: true, mode: 0o755 });
  return (await readdir(labsDir(), { withFileTypes: true }))
    .filter((e) => e.isDirectory())
    .map((e) => e.name);
}

/** The machines of a lab, by their directories. */
export async function machineNames(id: string): Promise<string[]> {
  return (await readdir(join(labDir(id), 'machines')).catch(absentAs([]))).sort();
}

/** Is somebody still using this lab? A person's lab counts as used until its switch is gone. */
export function inUse(record: LabRecord): boolean {
  if (record.hostBoot !== hostBoot()) return false;
  return record.owner === null ? alive(record.holder) : alive(record.owner);
}

/**
 * Take a lab away, whatever state it is in: processes, control groups, switch, disks. Safe to repeat and to run twice
 * at once. The switch's own process is spared when it is the one that asks.
 */
export async function destroyLab(id: string, spare?: ProcessId): Promise<void> {
  for (const name of await machineNames(id)) {
    // Tells the supervisor that the kill that follows is not a reboot.
    await writeFile(join(labDir(id), 'machines', name, 'desired'), 'off\n').catch(absentAs(undefined));
  }
  await destroyGroup(labGroup(id));
  const record = await readRecord(id);
  if (
    record !== undefined &&
    record.hostBoot === hostBoot() &&
    record.holder.pid !== spare?.pid &&
    alive(record.holder)
  ) {
    process.kill(record.holder.pid, 'SIGKILL');
  }
  await rm(labDir(id), { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  // A boot that was under way may have begun between the first look and the removal; now it has nowhere to begin.
  await destroyGroup(labGroup(id));
}

/** For what somebody else may be taking away at this moment. */
function absentAs<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}

/** Take away every lab whose owner is dead, and scratch that nobody uses; returns the ids. */
export async function collectGarbage(): Promise<string[]> {
  return whileNobodyOpens(takeAway);
}

/** Makers of the person's lab and collectors of garbage take turns: a lab half made has no record to protect it. */
export async function whileNobodyOpens<T>(act: () => Promise<T>): Promise<T> {
  await mkdir(labsDir(), { recursive: true, mode: 0o755 });
  const held = await lock(join(labsDir(), '.lock'));
  try {
    return await act();
  } finally {
    await held.release();
  }
}

async function takeAway(): Promise<string[]> {
  const gone: string[] = [];
  for (const id of await labIds()) {
    const record = await readRecord(id);
    // A lab without a record is being made this very moment, or its maker died in that moment: its name says who.
    const used = record === undefined ? makerAlive(id) : inUse(record);
    if (used) continue;
    await destroyLab(id);
    gone.push(id);
  }
  for (const group of await topGroups(GROUP_PREFIX)) {
    const id = group.slice(GROUP_PREFIX.length);
    if (existsSync(labDir(id)) || !isProcessLab(id) || makerAlive(id)) continue;
    await destroyGroup(group);
    gone.push(id);
  }
  await sweepScratch();
  return gone;
}

/** The id of a process's own lab holds the process: base-36 number and start time, then a count. */
export function newLabId(owner: ProcessId, count: number): string {
  return `${owner.pid.toString(36)}-${owner.start.toString(36)}-${count}`;
}

/** Is this an id that `newLabId` makes? */
function isProcessLab(id: string): boolean {
  return /^[0-9a-z]+-[0-9a-z]+-\d+$/.test(id);
}

function makerAlive(id: string): boolean {
  const [pid, start] = id.split('-').map((part) => Number.parseInt(part, 36));
  return pid !== undefined && start !== undefined && alive({ pid, start });
}
