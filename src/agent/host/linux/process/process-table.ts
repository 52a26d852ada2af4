import { readFileSync } from 'node:fs';
import { isErrno } from '../../common/system/system-error.ts';

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

const GRACE_MS = 5000;

/** Asks a process group to end (SIGTERM) and kills it after five seconds. The group may be gone already. */
export function terminateGroup(leader: number): void {
  send(leader, 'SIGTERM');
  setTimeout(() => send(leader, 'SIGKILL'), GRACE_MS).unref();
}

/** The same at once, for what is not worth waiting for. */
export function killGroup(leader: number): void {
  send(leader, 'SIGKILL');
}

function send(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}
