import type { SlipwayEvent } from '../../protocol/events.ts';

/** How long another run may take to go on after the agent was lost or told to stop (systemd waits five seconds). */
const RESUME_MS = 60_000;

export interface EndState {
  /** Milliseconds since boot. */
  now: number;
  /** Since when nothing has been going on that could become a bootstrap. */
  idleSince: number;
  /** The last event of this boot that says how the bootstrap stands. */
  last: SlipwayEvent | undefined;
  /** An agent is at work. */
  working: boolean;
  /** The Node was seen Ready, or is not looked at. */
  nodeSettled: boolean;
  idleMs: number;
  nodeMs: number;
}

/** Why there is nothing left to report; undefined while there is. */
export function endReason(state: EndState): string | undefined {
  const { now, last, working } = state;
  if (working) return undefined;
  if (!last) {
    return now - state.idleSince > state.idleMs ? 'no bootstrap of this machine was started' : undefined;
  }
  const since = now - last.mono;
  if (last.type === 'agent.lost')
    return since > RESUME_MS ? 'the agent has ended and was not restarted' : undefined;
  if (last.type === 'node.reset') return 'the node was reset';
  if (last.type !== 'sequence.ended') return undefined;
  if (last.result !== 'succeeded') {
    if (last.failure?.code === 'Interrupted' && since <= RESUME_MS) return undefined;
    return 'the bootstrap has failed, and that is final for this boot';
  }
  if (state.nodeSettled) return 'the machine is bootstrapped';
  return since > state.nodeMs
    ? 'the machine is bootstrapped, but its Node was not seen Ready in time'
    : undefined;
}
