import { isErrno } from '../../common/system/system-error.ts';

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
