import { randomInt } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `.slipway-PID-NUMBER.tmp`: a file on its way to its name, and the process that writes it. */
const TEMP = /^\.slipway-(\d+)-\d+\.tmp$/;
/** A directory of foreign programs may hold any number of entries. */
const MOST_ENTRIES = 10_000;

/** Larger directories are read entry by entry, as far as their file system tells how large they are. */
const SMALL_BYTES = 64 * 1024;

const swept = new Set<string>();

/**
 * Name of a temporary file of this process in `directory`; before the first one there, leftovers go.
 *
 * @param looked directories that were given just now, which are not looked at again; it grows
 */
export function tempFileIn(directory: string, looked: Set<string> = new Set()): string {
  if (!looked.has(directory)) sweep(directory);
  looked.add(directory);
  // In a folder for everybody, whoever guesses the next name takes it first, and the write fails.
  return join(directory, `.slipway-${process.pid}-${unguessable()}.tmp`);
}

function sweep(directory: string): void {
  const { place, size } = identityOf(directory);
  if (swept.has(place)) return;
  swept.add(place);
  removeLeftovers(directory, size);
}

/** From the kernel where that gives it: loading node:crypto takes longer than writing the files of a bootstrap. */
function unguessable(): number {
  return (process.platform === 'win32' ? undefined : ofKernel()) ?? randomInt(2 ** 48 - 1);
}

const URANDOM = '/dev/urandom';
const OF_NAME = 6;
/** What names have not used up; read for several at a time. */
let drawn = Buffer.alloc(0);

function ofKernel(): number | undefined {
  if (drawn.length < OF_NAME) drawn = draw(32 * OF_NAME);
  const bytes = drawn.subarray(0, OF_NAME);
  drawn = drawn.subarray(OF_NAME);
  return bytes.length === OF_NAME ? bytes.readUIntBE(0, OF_NAME) : undefined;
}

function draw(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  let fd: number | undefined;
  try {
    // A file there would say the same each time, a pipe nothing.
    if (!statSync(URANDOM).isCharacterDevice()) return Buffer.alloc(0);
    fd = openSync(URANDOM, 'r');
    return bytes.subarray(0, readSync(fd, bytes));
  } catch {
    // A root for an image may have no devices.
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** One directory may have several names, and under another the files that are on their way in it would be leftovers. */
function identityOf(directory: string): { place: string; size: number } {
  const stat = statSync(directory, { throwIfNoEntry: false });
  return stat === undefined
    ? { place: directory, size: 0 }
    : { place: `${stat.dev} ${stat.ino}`, size: stat.size };
}

/**
 * Removes what processes left that were killed, or lost their power, before they gave a file its name: it may
 * hold a secret, and after a reboot another agent may have the same PID.
 */
function removeLeftovers(directory: string, size: number): void {
  try {
    for (const name of size > 0 && size <= SMALL_BYTES ? readdirSync(directory) : oneByOne(directory)) {
      const pid = name.startsWith('.') ? TEMP.exec(name)?.[1] : undefined;
      if (pid !== undefined && isGone(Number(pid))) rmSync(join(directory, name), { force: true });
    }
  } catch {
    // The write itself says what is wrong with the directory.
  }
}

function* oneByOne(directory: string): Generator<string> {
  // Imported, it would load its part of node:fs at every start.
  const entries = process.getBuiltinModule('node:fs').opendirSync(directory);
  try {
    for (let seen = 0; seen < MOST_ENTRIES; seen += 1) {
      const entry = entries.readSync();
      if (!entry) return;
      yield entry.name;
    }
  } finally {
    entries.closeSync();
  }
}

/** This process has written nothing here yet, so what bears its PID is of an earlier one. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
