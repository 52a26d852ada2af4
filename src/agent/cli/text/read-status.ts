import type { Failure, JournalRecord } from '../../../protocol/journal.ts';
import type { Outcome, StepVerdict } from '../../../protocol/outcome.ts';
import { JOURNAL, SENTINEL } from '../../document/paths.ts';
import { isUndoneByReset, spentMs } from '../../engine/history.ts';
import { parseJournal } from '../../engine/parse-journal.ts';
import { outcomeOfJournal, readOutcome } from '../../engine/read-outcome.ts';
import { type Host, HostError } from '../../host/host.ts';
import { agentProcess } from '../../report/watch/agent-process.ts';

export interface StepStatus {
  id: string;
  title: string;
  /** `interrupted`: it had begun, and the agent ended before it. */
  state: 'done' | 'failed' | 'running' | 'interrupted' | 'waiting' | 'retrying';
  attempts: number;
  /** Active seconds of all attempts until now. */
  seconds: number;
  message?: string;
  failure?: Failure;
  /** Why the attempt before failed, while the step is tried again or waits for that. */
  lastFailure?: Failure & { attempt: number };
}

/** What `slipway status --output json` prints. */
export interface Status {
  /**
   * `interrupted`: a run began, came to no verdict, and no agent is alive. `unknown`: there is no verdict, and only root
   * may see whether one is being worked for.
   */
  state: 'not started' | 'reset' | 'running' | 'interrupted' | 'concluded' | 'unknown';
  outcome?: Outcome;
  /** Cluster API's sentinel is there. */
  sentinel: boolean;
  steps: StepStatus[];
  /** `shim`: it was called as kubeadm, and no unit starts it again. */
  mode?: Outcome['mode'];
  /** What the run under way has noticed; of one that is over, the verdict tells it. */
  findings?: Outcome['findings'];
  /** Seconds since the run under way began; absent until it has read the user data. */
  runningSeconds?: number;
  /** Why the journal, or a part of it, could not be read; the steps may then be the verdict's, without messages. */
  journal?: string;
}

/** What `journal` says where the reader is somebody else. */
export const ONLY_ROOT = 'only root may read it';

/** Reads what the agent has left; never changes anything. */
export async function readStatus(host: Host): Promise<Status> {
  const outcome = await readOutcome(host);
  const sentinel = (await host.files.stat(SENTINEL)) !== undefined;
  const base: Pick<Status, 'sentinel' | 'outcome' | 'journal'> = {
    sentinel,
    ...(outcome ? { outcome } : {}),
  };
  const stepsOfVerdict = () => outcome?.steps.map((step) => stepOfVerdict(step, outcome)) ?? [];
  let records: JournalRecord[];
  try {
    const bytes = (await host.files.readIfPresent(JOURNAL)) ?? Buffer.alloc(0);
    const journal = parseJournal(bytes);
    records = journal.records;
    // A torn end is a record that is being written, or that a power loss cut off.
    const lost = journal.badBytes - (bytes.length - journal.goodLength);
    if (lost > 0) base.journal = `${lost} bytes of it are damaged`;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const forbidden = error.errno === 'EACCES';
    return {
      ...base,
      state: outcome ? 'concluded' : 'unknown',
      steps: stepsOfVerdict(),
      journal: forbidden ? ONLY_ROOT : error.message,
    };
  }
  const last = records.findLast(({ type }) => type === 'sequence.started');
  const run = records.findLast((record) => record.type === 'run.started');
  const isOfNoRun = run?.boot !== (await host.bootId()) || !host.processes.isAlive(run.pid);
  const early = !outcome && isOfNoRun ? await agentAtWork(host) : undefined;
  if (early !== undefined) return { ...base, state: early, steps: [] };
  if (last?.type !== 'sequence.started' || run?.type !== 'run.started') {
    return { ...base, state: outcome ? 'concluded' : 'not started', steps: stepsOfVerdict() };
  }
  const reset = records.findLast((record) => record.type === 'node.reset' && record.scope === 'node');
  // A reset takes the verdict away, so one that is there has come after it.
  if (reset && reset.seq > last.seq)
    return { ...base, state: outcome ? 'concluded' : 'reset', steps: stepsOfVerdict() };
  const own = recordsOf(records, last.sequence);
  const ended = own.findLast((record) => record.type === 'sequence.ended');
  const isThisBoot = run.boot === (await host.bootId());
  const alive = isThisBoot && host.processes.isAlive(run.pid);
  const open = !ended && alive && !outcome;
  const state = open ? 'running' : outcome || ended ? 'concluded' : 'interrupted';
  const now = host.clock.monotonic();
  const steps = last.steps.map(({ id, title, digest }) =>
    stepStatus(records, own, { id, title, digest }, open ? now : undefined),
  );
  // An agent that is alive is about to write it.
  const isLost = !outcome && ended?.type === 'sequence.ended' && isThisBoot && !alive;
  return {
    ...base,
    ...(isLost ? { outcome: outcomeOfJournal(run, last, ended, steps) } : {}),
    state,
    mode: run.mode,
    steps,
    ...(open ? { findings: findingsOf(own), runningSeconds: Math.max(0, now - run.mono) / 1000 } : {}),
  };
}

function findingsOf(records: readonly JournalRecord[]): Outcome['findings'] {
  return records.flatMap((record) => {
    if (record.type !== 'finding') return [];
    const { severity, code, message, where } = record;
    return [{ severity, code, message, ...(where === undefined ? {} : { where }) }];
  });
}

/** An agent has the lock from its first moment, and the journal from when it has read the user data. */
async function agentAtWork(host: Host): Promise<'running' | 'unknown' | undefined> {
  try {
    const { state = 'gone' } = (await agentProcess(host)) ?? {};
    return state === 'gone' ? undefined : 'running';
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return error.errno === 'EACCES' ? 'unknown' : undefined;
  }
}

/** All that somebody who may not read the journal learns of a step. */
function stepOfVerdict(
  { id, title, result, attempts, seconds }: StepVerdict,
  { step, failure }: Outcome,
): StepStatus {
  return {
    id,
    title,
    state: result === 'not run' ? 'waiting' : result,
    attempts,
    seconds,
    ...(failure && step === id ? { failure } : {}),
  };
}

/** The records of one sequence, over all runs that worked on it. */
function recordsOf(records: readonly JournalRecord[], sequence: string): JournalRecord[] {
  const first = records.findIndex(
    (record) => record.type === 'sequence.started' && record.sequence === sequence,
  );
  return records.slice(first);
}

function stepStatus(
  all: readonly JournalRecord[],
  own: readonly JournalRecord[],
  { id, title, digest }: { id: string; title: string; digest: string },
  now: number | undefined,
): StepStatus {
  const isMine = (record: JournalRecord) =>
    'step' in record && record.step === id && (!('digest' in record) || record.digest === digest);
  const inSequence = own.filter(isMine);
  // A step that an earlier sequence finished is not begun again, so this one has no record of it.
  const from = inSequence.length > 0 ? own : all;
  const undone = all.findLast(
    (record) => record.type === 'node.reset' && isUndoneByReset(`${id} ${digest}`, record),
  );
  const mine = from.filter((record) => isMine(record) && record.seq > (undone?.seq ?? 0));
  const ends = mine.filter((record) => record.type === 'step.ended');
  const started = mine.findLast((record) => record.type === 'step.started');
  const end = ends.at(-1);
  const begun = started !== undefined && started.seq > (end?.seq ?? 0);
  const running = begun && now !== undefined;
  const progress = mine.findLast((record) => record.type === 'step.progress');
  const state = begun
    ? running
      ? 'running'
      : 'interrupted'
    : end === undefined
      ? 'waiting'
      : end.retryInMs !== undefined
        ? 'retrying'
        : end.result === 'failed'
          ? 'failed'
          : 'done';
  // What the journal tells ends with its last record.
  const sinceLast = running ? Math.max(0, now - (all.at(-1)?.mono ?? now)) : 0;
  const message = begun ? progress?.message : end?.message;
  const failed = ends.findLast(({ result }) => result === 'failed');
  const again = state === 'running' || state === 'retrying';
  return {
    id,
    title,
    state,
    attempts: started?.attempt ?? 0,
    seconds: (spentMs(from, { step: id, digest }) + sinceLast) / 1000,
    ...(message ? { message } : {}),
    ...(end?.failure && !begun ? { failure: end.failure } : {}),
    ...(again && failed?.failure ? { lastFailure: { attempt: failed.attempt, ...failed.failure } } : {}),
  };
}
