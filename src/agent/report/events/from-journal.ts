import type { EventBody, EventFailure, EventStep, SequenceMode } from '../../../protocol/events.ts';
import type { Failure, JournalRecord } from '../../../protocol/journal.ts';
import type { Draft } from './draft.ts';

/** The reporter passes a heartbeat on if it has told nothing else for this long. */
const TELL_ALIVE_MS = 60_000;

type RunRecord = Extract<JournalRecord, { type: 'run.started' }>;

/** What the journal says of the run that is under way. */
export interface RunState {
  mode: SequenceMode;
  agent: string;
  pid: number;
  boot: string;
  /** Empty before the run's sequence is in the journal. */
  sequence: string;
  /** The step that is at work or that the next attempt is awaited of. */
  step?: EventStep;
  /** No verdict is in the journal. */
  open: boolean;
  /** The last record. */
  last: JournalRecord;
}

/**
 * Derives events from the journal's records, one by one and in order. The same records always give the same events, so
 * a reporter that was restarted reads the journal from its beginning and passes over what it had told.
 *
 * It shares no fold with `slipway status` (cli/text/read-status.ts), nor with the engine (engine/history.ts): this one
 * keeps no record, so that a reporter stays small; status adds up all attempts of a step, for which it needs every
 * record; the engine asks what is done for good, over instances, documents and resets. What they have in common is the
 * records' own types.
 */
export class JournalEvents {
  readonly #isMine: (record: RunRecord) => boolean;
  readonly #titles = new Map<string, string>();
  #mine = false;
  #run: RunState | undefined;
  #failedStep: EventStep | undefined;
  #lastTold = { boot: '', mono: 0 };
  #lastProgress = '';

  /** Records of runs that `isMine` refuses (a journal baked into an image) tell nothing. */
  constructor(isMine: (record: RunRecord) => boolean) {
    this.#isMine = isMine;
  }

  get run(): RunState | undefined {
    return this.#run;
  }

  /** Lets the next heartbeat through: who was thought to be lost is heard again. */
  reportNextHeartbeat(): void {
    this.#lastTold = { boot: '', mono: 0 };
  }

  take(record: JournalRecord): Draft[] {
    const body = this.#bodyOf(record);
    if (this.#run) this.#run.last = record;
    if (!body) return [];
    this.#lastTold = { boot: record.boot, mono: record.mono };
    this.#lastProgress = body.type === 'step.progress' ? body.message : '';
    return [{ body, boot: record.boot, time: record.time, mono: Math.max(0, Math.round(record.mono)) }];
  }

  #bodyOf(record: JournalRecord): EventBody | undefined {
    if (record.type === 'run.started') {
      this.#mine = this.#isMine(record);
      const { mode, agent, pid, boot } = record;
      this.#run = this.#mine ? { mode, agent, pid, boot, sequence: '', open: true, last: record } : undefined;
      this.#failedStep = undefined;
      return undefined;
    }
    const run = this.#run;
    if (!this.#mine || !run) return undefined;
    // If the record of the sequence's beginning is damaged, the boot names the sequence.
    const sequence = run.sequence || record.boot;
    switch (record.type) {
      case 'sequence.started': {
        run.sequence = record.sequence;
        run.open = true;
        for (const { id, title } of record.steps) this.#titles.set(id, title);
        return {
          type: 'sequence.started',
          sequence: record.sequence,
          mode: run.mode,
          agent: run.agent,
          steps: record.steps.map(({ id, title }) => ({ id, title })),
          ...(record.deadlineSeconds >= 1 ? { deadlineSeconds: Math.round(record.deadlineSeconds) } : {}),
          resumed: record.resumed,
        };
      }
      case 'step.started': {
        run.step = this.#step(record.step);
        return { type: 'step.started', sequence, step: run.step, attempt: record.attempt };
      }
      case 'step.progress':
        if (record.message === this.#lastProgress) return undefined;
        return { type: 'step.progress', sequence, step: this.#step(record.step), message: record.message };
      case 'heartbeat':
        return this.#silentSince(record)
          ? { type: 'heartbeat', sequence, step: this.#step(record.step) }
          : undefined;
      case 'step.ended':
        return this.#stepEnded(record, run, sequence);
      case 'finding': {
        const { severity, code, message, where } = record;
        return { type: 'finding', severity, code, message, ...(where ? { where } : {}) };
      }
      case 'sequence.ended': {
        run.open = false;
        delete run.step;
        const { result, exitStatus, ms, failure, isNodeUnknown } = record;
        const step = record.failedStep === undefined ? this.#failedStep : this.#step(record.failedStep);
        return {
          type: 'sequence.ended',
          sequence: record.sequence,
          mode: run.mode,
          result,
          exitStatus,
          ms: whole(ms),
          ...(isNodeUnknown ? { isNodeUnknown } : {}),
          ...(failure && step ? { step } : {}),
          ...(failure ? { failure: toEventFailure(failure) } : {}),
        };
      }
      case 'node.reset':
        return { type: 'node.reset' };
      case 'journal.repaired':
        return { type: 'fact', name: 'journal.repaired', value: `${record.bytes} bytes` };
      default:
        // A record that a newer agent writes.
        return undefined;
    }
  }

  #stepEnded(
    record: Extract<JournalRecord, { type: 'step.ended' }>,
    run: RunState,
    sequence: string,
  ): EventBody {
    const step = this.#step(record.step);
    const head = { sequence, step, attempt: record.attempt, ms: whole(record.ms) };
    const { failure, retryInMs, message, result } = record;
    this.#failedStep = result === 'failed' ? step : this.#failedStep;
    if (failure && retryInMs !== undefined) {
      return { type: 'step.attempt', ...head, failure: toEventFailure(failure), retryInMs: whole(retryInMs) };
    }
    delete run.step;
    return {
      type: 'step.ended',
      ...head,
      result,
      ...(message ? { message } : {}),
      ...(failure ? { failure: toEventFailure(failure) } : {}),
    };
  }

  #silentSince({ boot, mono }: JournalRecord): boolean {
    return boot !== this.#lastTold.boot || mono - this.#lastTold.mono >= TELL_ALIVE_MS;
  }

  #step(id: string): EventStep {
    return { id, title: this.#titles.get(id) ?? id };
  }
}

/** The failure as it goes on the wire: the same words, the last lines. */
export function toEventFailure({ code, cause, remedy, exitStatus, lines }: Failure): EventFailure {
  return {
    code,
    cause,
    remedy,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(lines?.length ? { lines } : {}),
  };
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}
