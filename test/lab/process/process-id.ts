import { readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same number. `start` is in clock ticks since boot. */
export interface ProcessId {
  pid: number;
  start: number;
}

/**
 * The process with this number now, or undefined when there is none. A zombie counts as gone, but not while threads of it are
 * still there: they hold its files and ports.
 */
export function processId(pid: number): ProcessId | undefined {
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const threads = Number(fields[17]);
  if (fields[0] === 'X' || (fields[0] === 'Z' && threads <= 1)) return undefined;
  return { pid, start: Number(fields[19]) };
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/** Is exactly this process still there? */
export function alive(id: ProcessId): boolean {
  return processId(id.pid)?.start === id.start;
}

/** This process. */
export function self(): ProcessId {
  const id = processId(process.pid);
  if (id === undefined) throw new Error('/proc does not show this process: is /proc mounted?');
  return id;
}
