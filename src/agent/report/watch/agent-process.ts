import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

const LOCK = `${RUN_DIR}/agent.lock`;

/** The process that holds the agent's lock. */
export interface AgentProcess {
  pid: number;
  /** Tells it from a later process with the same number. */
  startTime: string;
  /** `stopped`: by a signal or a debugger; `working`: it runs, or waits for a disk; `waiting`: it sleeps. */
  state: 'working' | 'waiting' | 'stopped' | 'gone';
  /** Clock ticks of processor time that it has used. */
  ticks: number;
}

/** Undefined when nobody holds the lock. */
export async function agentProcess(host: Host): Promise<AgentProcess | undefined> {
  const holder = readHolder((await host.files.readIfPresent(LOCK, 4096))?.toString('utf8') ?? '');
  if (!holder) return undefined;
  const { pid, startTime } = holder;
  const stat = await readStat(host, pid);
  // The second field is the program's name in parentheses and may hold anything, so count from its last ")".
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const letter = fields[0] ?? '';
  const gone = { pid, startTime, state: 'gone', ticks: 0 } as const;
  if (stat === '' || fields[19] !== startTime || 'ZX'.includes(letter)) return gone;
  const state = 'Tt'.includes(letter) ? 'stopped' : 'RD'.includes(letter) ? 'working' : 'waiting';
  return { pid, startTime, state, ticks: Number(fields[11]) + Number(fields[12]) };
}

function readHolder(text: string): { pid: number; startTime: string } | undefined {
  try {
    const value = JSON.parse(text);
    return Number.isInteger(value?.pid) && typeof value.startTime === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Empty when the process has gone. */
async function readStat(host: Host, pid: number): Promise<string> {
  try {
    return (await host.ownFiles.readIfPresent(`/proc/${pid}/stat`))?.toString('utf8') ?? '';
  } catch {
    // It went between opening and reading (ESRCH).
    return '';
  }
}
