import { readFileSync } from 'node:fs';

/** A process that nobody mistakes for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks after boot. */
  startTime: string;
}

/** Undefined if no such process runs. A zombie counts as ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold anything, so count from its last
    // ")".
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTime = fields[19];
    return fields[0] === 'Z' || fields[0] === 'X' || startTime === undefined ? undefined : { pid, startTime };
  } catch {
    return undefined;
  }
}

export function isSameProcess(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTime === identity.startTime;
}
