import { codes } from '../../../protocol/codes/codes.ts';
import type { AgentLostEvent, EventFailure } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { showUnits } from '../../host/show-units.ts';
import type { Loss } from './agent-watch.ts';

/** Nobody waits longer for a reason than for the news itself. */
const ASK_MS = 1000;

/** Why the agent is lost, as far as systemd and the kernel know. */
export async function lossCause(
  host: Host,
  loss: Loss,
): Promise<{ how: AgentLostEvent['how']; failure: EventFailure }> {
  if (loss.how === 'hung') return { how: 'hung', failure: failureOf('AgentHung', `${loss.seen}.`) };
  const [unit, kernel] = await Promise.all([askSystemd(host, loss.pid), askKernel(host, loss.pid)]);
  if (kernel || unit?.result === 'oom-kill') {
    const cause = `${loss.seen}: the kernel killed it because the machine ran out of memory.`;
    return { how: 'killed', failure: failureOf('AgentKilled', cause, kernel ? [kernel] : []) };
  }
  if (unit?.result === 'exit-code') {
    const cause = `${loss.seen}: it exited with status ${unit.status}.`;
    return { how: 'crashed', failure: { ...failureOf('AgentCrashed', cause), exitStatus: unit.status } };
  }
  if (unit?.result === 'core-dump') {
    return {
      how: 'crashed',
      failure: failureOf('AgentCrashed', `${loss.seen}: it dumped core (signal ${unit.status}).`),
    };
  }
  const by = unit?.result === 'signal' ? `: it was killed by signal ${unit.status}` : '';
  return { how: 'killed', failure: failureOf('AgentKilled', `${loss.seen}${by}.`) };
}

function failureOf(
  code: 'AgentKilled' | 'AgentCrashed' | 'AgentHung',
  cause: string,
  lines: string[] = [],
): EventFailure {
  return { code, cause, remedy: codes()[code].fix, ...(lines.length > 0 ? { lines } : {}) };
}

/** What systemd says of the service's main process, if it was the agent. */
async function askSystemd(host: Host, pid: number): Promise<{ result: string; status: number } | undefined> {
  const properties = ['Result', 'ExecMainPID', 'ExecMainStatus'];
  const [said] = (await showUnits(host, ['slipway.service'], properties, ASK_MS)) ?? [];
  if (said?.get('ExecMainPID') !== String(pid)) return undefined;
  return { result: said.get('Result') ?? '', status: Number(said.get('ExecMainStatus')) || 0 };
}

/** The line of the kernel's log that says that it killed the process. */
async function askKernel(host: Host, pid: number): Promise<string | undefined> {
  const answer = await host.processes.run({
    argv: ['journalctl', '-k', '-b', '-q', '-o', 'cat', '-n', '400', '--no-pager'],
    timeoutMs: ASK_MS,
  });
  return answer.stdout.split('\n').findLast((line) => line.includes(`Killed process ${pid} `));
}
