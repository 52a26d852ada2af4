import { HEARTBEAT_MS } from '../../../protocol/journal.ts';
import type { RunState } from '../events/from-journal.ts';
import type { AgentProcess } from './agent-process.ts';

/** A heartbeat may be this late; after that a sleeping agent has stopped working. */
const LATE_MS = 3000;
/** A process that uses the processor or waits for a disk may just be slow. */
const BUSY_LATE_MS = 2 * HEARTBEAT_MS + LATE_MS;
/** One look may fall between two states; a state that lasts this long is real. */
const SETTLED_MS = 600;

export interface Loss {
  how: 'killed' | 'hung';
  /** Names the loss, so that it is told once. */
  key: string;
  pid: number;
  /** For the cause: what was seen. */
  seen: string;
  /** The only sign of it is that the journal does not grow. */
  silent: boolean;
}

type AgentNews = { kind: 'lost'; loss: Loss } | { kind: 'back' } | { kind: 'nothing' };

const NOTHING: AgentNews = { kind: 'nothing' };

/**
 * Decides whether the agent's process is lost without a verdict, or stuck. Pure: the caller gives it the time and what it
 * saw.
 */
export class AgentWatch {
  #process: AgentProcess | undefined;
  #suspicion: { what: string; since: number } | undefined;
  #busyTicks = { ticks: 0, at: 0 };
  #hung: string | undefined;

  /** A process that has been seen and left no verdict yet. */
  get isAwaited(): boolean {
    return this.#process !== undefined;
  }

  /**
   * @param now milliseconds since boot
   * @param outcome is there an outcome.json? An agent removes it when it begins, so it is always the last one's.
   */
  look(
    now: number,
    seen: AgentProcess | undefined,
    run: RunState | undefined,
    outcome: boolean,
    boot: string,
  ): AgentNews {
    if (seen && seen.state !== 'gone') return this.#alive(now, seen, run, boot);
    const lost = seen ?? this.#process;
    // If the agent could not write outcome.json, the end of the sequence in the journal is the verdict.
    const verdict = outcome || (run?.boot === boot && run.pid === lost?.pid && !run.open);
    if (!lost || verdict) {
      this.#process = undefined;
      this.#suspicion = undefined;
      this.#hung = undefined;
      return NOTHING;
    }
    const id = `${lost.pid}:${lost.startTime}`;
    if (!this.#isSettled(now, `gone ${id}`)) return NOTHING;
    this.#process = undefined;
    this.#hung = undefined;
    const how = seen
      ? `The agent (process ${lost.pid}) ended without a verdict`
      : `The agent (process ${lost.pid}) ended without a verdict`;
    const key = `lost:${boot}:${id}`;
    return { kind: 'lost', loss: { how: 'killed', key, pid: lost.pid, seen: how, silent: false } };
  }

  #alive(now: number, seen: AgentProcess, run: RunState | undefined, boot: string): AgentNews {
    this.#process = seen;
    if (seen.ticks !== this.#busyTicks.ticks) this.#busyTicks = { ticks: seen.ticks, at: now };
    const id = `${seen.pid}:${seen.startTime}`;
    const silence =
      run?.open && run.boot === boot && run.pid === seen.pid ? this.#overdue(now, seen, run) : undefined;
    const stuck = seen.state === 'stopped' ? 'was stopped by a signal' : silence;
    if (stuck === undefined) {
      this.#suspicion = undefined;
      if (this.#hung !== id) return NOTHING;
      this.#hung = undefined;
      return { kind: 'back' };
    }
    if (this.#hung === id || !this.#isSettled(now, `hung ${id}`)) return NOTHING;
    this.#hung = id;
    const key = `hung:${boot}:${id}:${Math.round(now)}`;
    return {
      kind: 'lost',
      loss: {
        how: 'hung',
        key,
        pid: seen.pid,
        seen: `The agent (process ${seen.pid}) ${stuck}`,
        silent: seen.state !== 'stopped',
      },
    };
  }

  /** Words when the next record is overdue. */
  #overdue(now: number, seen: AgentProcess, { last, boot }: RunState): string | undefined {
    if (last.boot !== boot) return undefined;
    const pause = last.type === 'step.ended' ? (last.retryInMs ?? 0) : 0;
    const isBusy = seen.state === 'working' || now - this.#busyTicks.at < LATE_MS;
    const allowed = HEARTBEAT_MS + pause + (isBusy ? BUSY_LATE_MS : LATE_MS);
    const silent = now - last.mono;
    return silent > allowed ? `has been silent for ${Math.round(silent / 1000)} s` : undefined;
  }

  #isSettled(now: number, what: string): boolean {
    if (this.#suspicion?.what !== what) this.#suspicion = { what, since: now };
    return now - this.#suspicion.since >= SETTLED_MS;
  }
}
