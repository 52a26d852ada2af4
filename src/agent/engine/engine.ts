import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import { errorMessage } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import {
  type Failure,
  type Finding,
  HEARTBEAT_MS,
  type Result,
  type StepEnded,
} from '../../protocol/journal.ts';
import type { StepVerdict } from '../../protocol/outcome.ts';
import { type Host, HostError } from '../host/host.ts';
import { Deadline } from './deadline.ts';
import { codeOf, failure } from './failure.ts';
import { type History, historyOf } from './history.ts';
import type { Journal } from './journal.ts';
import type { Step, StepContext, StepResult } from './step.ts';

export interface SequenceOptions {
  host: Host;
  journal: Journal;
  steps: Step[];
  /** Digest of all steps. */
  digest: string;
  mode: 'bootstrap' | 'shim';
  instance: string;
  agent: string;
  pid: number;
  /** Milliseconds that the agent's process has run for. */
  uptimeMs?: number;
  deadlineSeconds: number;
  /** Aborts when the agent is told to stop. */
  stop: AbortSignal;
  findings: Omit<Finding, 'type'>[];
  /** The document has no kubeadm, so only its commands can decide: a failed command makes the verdict. */
  commandsDecide: boolean;
  /** Says why a failure with this code is not final yet; undefined: it is final. */
  notFinal?: (code: Code) => Promise<string | undefined>;
  output?: StepContext['output'];
}

export interface SequenceResult {
  result: Result;
  exitStatus: number;
  failure?: Failure;
  failedStep?: string;
  findings: Omit<Finding, 'type'>[];
  steps: StepVerdict[];
  /** How many steps this call ran; an earlier one had finished the others. */
  ran: number;
  sequence: string;
  startedAt: string;
  ms: number;
}

const DEFAULT_ATTEMPTS = 3;
/** The shell that the steps of a group share is gone, or there is none. */
const ENDS_GROUP: ReadonlySet<Code> = new Set(['CommandEndedScript', 'ToolMissing']);

const EXIT: Record<Result, number> = {
  succeeded: 0,
  failed: 1,
  'bad-input': 2,
  'deadline-exceeded': 3,
  transient: 75,
};

/** Exit status of `slipway bootstrap` (design, section 5). */
export function exitStatusOf(result: Result): number {
  return EXIT[result];
}

type Verdict = { result: Result; failure?: Failure; step?: string };

/**
 * Runs the steps in order, journalling every transition before and after, and always comes to a verdict.
 *
 * It does not run a finished step with the same digest again. It continues the unfinished sequence of an
 * earlier process with the attempts and the time that are left. A signal to stop leaves the sequence open.
 */
export async function runSequence(options: SequenceOptions): Promise<SequenceResult> {
  return new SequenceRun(options).run();
}

class SequenceRun {
  readonly #o: SequenceOptions;
  readonly #history: History;
  readonly #deadline: Deadline;
  readonly #run: string;
  readonly #sequence: string;
  readonly #startedAt: string;
  readonly #startMono: number;
  readonly #verdicts = new Map<string, StepVerdict>();
  readonly #findings: Omit<Finding, 'type'>[] = [];
  readonly #skipped: Step[] = [];
  #ran = 0;

  constructor(options: SequenceOptions) {
    this.#o = options;
    const { host, journal, instance, steps } = options;
    const history = historyOf(journal.records, instance);
    const resumes = history.open?.digest === options.digest;
    // Another document begins another sequence, with new time and attempts; finished steps still count.
    this.#history = resumes ? history : forgetBudget(history);
    this.#run = host.uuid();
    this.#sequence = (resumes && history.open?.sequence) || host.uuid();
    this.#startedAt = (resumes && history.startedAt) || host.clock.now().toISOString();
    this.#startMono = host.clock.monotonic();
    this.#deadline = new Deadline(host.clock, options.deadlineSeconds * 1000, this.#history.activeMs);
    for (const { id, title } of steps) {
      this.#verdicts.set(id, { id, title, result: 'not run', attempts: 0, seconds: 0 });
    }
  }

  async run(): Promise<SequenceResult> {
    const { journal, steps, digest, deadlineSeconds, instance, mode, agent, pid, uptimeMs } = this.#o;
    let verdict: Verdict;
    try {
      const uptime = uptimeMs === undefined ? {} : { uptimeMs };
      await journal.append(
        { type: 'run.started', run: this.#run, instance, mode, agent, pid, ...uptime },
        'with-next',
      );
      await journal.append(
        {
          type: 'sequence.started',
          run: this.#run,
          sequence: this.#sequence,
          digest,
          steps: steps.map((step) => ({ id: step.id, title: step.title, digest: step.digest })),
          deadlineSeconds,
          resumed: this.#history.open?.sequence === this.#sequence,
        },
        'with-next',
      );
      for (const finding of this.#o.findings) await this.#find(finding, 'with-next');
      verdict = await this.#runSteps();
    } catch (error) {
      verdict = {
        result: 'transient',
        failure: failure(codeOf(error, 'JournalNotWritten'), errorMessage(error)),
      };
    }
    const ms = this.#history.activeMs + this.#o.host.clock.monotonic() - this.#startMono;
    if (verdict.failure?.code !== 'Interrupted') await this.#conclude(verdict, ms);
    return {
      result: verdict.result,
      exitStatus: EXIT[verdict.result],
      ...(verdict.failure ? { failure: verdict.failure } : {}),
      ...(verdict.step ? { failedStep: verdict.step } : {}),
      findings: this.#findings,
      steps: [...this.#verdicts.values()],
      ran: this.#ran,
      sequence: this.#sequence,
      startedAt: this.#startedAt,
      ms,
    };
  }

  async #conclude(verdict: Verdict, ms: number): Promise<void> {
    try {
      await this.#o.journal.append({
        type: 'sequence.ended',
        run: this.#run,
        sequence: this.#sequence,
        result: verdict.result,
        exitStatus: EXIT[verdict.result],
        ms,
        ...(verdict.failure ? { failure: verdict.failure } : {}),
      });
    } catch (error) {
      // The verdict stands: the outcome file holds it, and this finding says that the journal does not.
      this.#findings.push({
        severity: 'warning',
        code: codeOf(error, 'JournalNotWritten'),
        message: errorMessage(error),
      });
    }
  }

  async #runSteps(): Promise<Verdict> {
    const endedGroups = new Map<string, Verdict>();
    let tolerated: Verdict | undefined;
    for (const step of this.#o.steps) {
      const groupEnd = step.group === undefined ? undefined : endedGroups.get(step.group);
      if (groupEnd && stops(step)) return groupEnd;
      if (groupEnd) continue;
      const end = await this.#runStep(step);
      if (!end) continue;
      const verdict = { ...end, step: step.id };
      if (stops(step) || end.result === 'deadline-exceeded' || this.#o.stop.aborted) return verdict;
      if (end.failure) await this.#find(asFinding(step, end.failure));
      if (step.group && end.failure && ENDS_GROUP.has(end.failure.code)) endedGroups.set(step.group, verdict);
      tolerated ??= verdict;
    }
    return (this.#o.commandsDecide && tolerated) || { result: 'succeeded' };
  }

  /** Runs one step until it is done or has failed for good. Undefined when it is done. */
  async #runStep(step: Step): Promise<Verdict | undefined> {
    const { host, stop } = this.#o;
    const { attempts = DEFAULT_ATTEMPTS, backoff = BACKOFF.step } = step;
    const past = this.#history.step(step.id, step.digest);
    if (past.ended && (await this.#isDone(step, past.ended, past.superseded))) {
      await step.settled?.(host, past.ended.result === 'done');
      this.#skipped.push(step);
      this.#note(step, past.ended.result === 'failed' ? 'failed' : 'done', past.ended.attempt, past.ended.ms);
      return past.ended.failure && { result: 'failed', failure: past.ended.failure };
    }
    for (const finished of this.#skipped.splice(0)) await finished.renew?.(host);
    if (this.#ran === 0) await this.#startAhead(step);
    this.#ran += 1;
    let interrupted = past.interrupted;
    // A run that outlived its agent belongs to the attempt that began it.
    const goesOn = past.interrupted && (await step.isUnderWay?.(host)) === true;
    let attempt = goesOn ? past.attempts - 1 : past.attempts;
    let last: Failure | undefined = past.superseded ? undefined : past.ended?.failure;
    let spent = past.spentMs;
    for (;;) {
      if (stop.aborted) return this.#interruption(step);
      if (this.#deadline.passed) return this.#outOfTime(step, last);
      attempt += 1;
      await this.#o.journal.append({ type: 'step.started', step: step.id, digest: step.digest, attempt });
      const before = host.clock.monotonic();
      const result = await this.#beating(step, () => this.#attempt(step, attempt, interrupted));
      const ms = host.clock.monotonic() - before;
      spent += ms;
      interrupted = false;
      if (result.done) {
        const message = result.message ? { message: result.message } : {};
        const sync = step.settled ? 'now' : 'with-next';
        await this.#end(step, { attempt, ms, result: 'done', ...message }, sync);
        this.#note(step, 'done', attempt, spent);
        await step.settled?.(host, true);
        return undefined;
      }
      if (stop.aborted) return this.#interruption(step);
      // The deadline cut this attempt off; the one before it came to its own end and says more.
      last = this.#deadline.passed && last ? last : result.failure;
      this.#note(step, 'failed', attempt, spent);
      const mayRepeat = result.retry === 'until-deadline' || (result.retry === 'yes' && attempt < attempts);
      const starting = mayRepeat ? undefined : await this.#notFinal(step, result.failure.code);
      const again = mayRepeat || starting !== undefined;
      const pause = starting === undefined ? backoff : BACKOFF.starting;
      const wait = backoffMs(attempt, pause, () => host.random());
      const retry = again && wait < this.#deadline.remainingMs();
      await this.#end(step, {
        attempt,
        ms,
        result: 'failed',
        failure: result.failure,
        ...(retry ? { retryInMs: wait } : {}),
        ...(starting === undefined ? {} : { message: starting }),
      });
      await step.settled?.(host, false);
      if (!again) return { result: result.retry === 'yes' ? 'transient' : 'failed', failure: result.failure };
      if (!retry || this.#deadline.passed) return this.#outOfTime(step, last);
      await host.clock.sleep(wait, stop);
    }
  }

  /** Stops in each group at a step without `ahead`: the engine may run it again though it was finished. */
  async #startAhead(current: Step): Promise<void> {
    const { steps } = this.#o;
    const seen = new Set<string>();
    for (const [index, step] of steps.entries()) {
      if (step.group === undefined || seen.has(step.group)) continue;
      const { ended } = this.#history.step(step.id, step.digest);
      if (step.ahead && ended && !isToRunAgain(step, ended)) continue;
      seen.add(step.group);
      if (index > steps.indexOf(current)) await step.ahead?.();
    }
  }

  async #isDone(step: Step, ended: StepEnded & { boot: string }, superseded: boolean): Promise<boolean> {
    if (isToRunAgain(step, ended)) return false;
    if (step.when === 'every-boot' && ended.boot !== (await this.#o.host.bootId())) return false;
    // Another document's step ran at the same place since, so only a proof can tell.
    return step.holds ? step.holds(this.#o.host) : !superseded;
  }

  async #attempt(step: Step, attempt: number, interrupted: boolean): Promise<StepResult> {
    const { host, stop, mode } = this.#o;
    const { signal, cancel } = this.#deadline.signal(stop);
    try {
      return await step.run({
        host,
        attempt,
        interrupted,
        // Who calls the shim asks for just this, and is answered as by kubeadm.
        doneOtherwise: mode !== 'shim' && this.#history.step(step.id, step.digest).doneOtherwise,
        signal,
        remainingMs: () => this.#deadline.remainingMs(),
        progress: (message, fromOutput) => this.#tell(step, message, fromOutput),
        finding: (finding) => this.#find(finding),
        output: this.#o.output ?? (() => undefined),
      });
    } catch (error) {
      const code = codeOf(error, 'FileNotWritten');
      return {
        done: false,
        failure: failure(code, errorMessage(error)),
        retry: code === 'DiskFull' ? 'yes' : 'no',
      };
    } finally {
      cancel();
    }
  }

  /** Why a failure that would end the step does not yet; it is told as progress. */
  async #notFinal(step: Step, code: Code): Promise<string | undefined> {
    const starting = await this.#beating(step, async () => this.#o.notFinal?.(code));
    if (starting !== undefined) await this.#tell(step, `${starting}; the step is tried again`);
    return starting;
  }

  /** Says that the agent is alive while `work` is done. */
  async #beating<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    void this.#beat(step, ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
    }
  }

  /** Says that the agent is alive, until `ended`. */
  async #beat({ id }: Step, ended: AbortSignal): Promise<void> {
    const { host, journal } = this.#o;
    for (;;) {
      await host.clock.sleep(HEARTBEAT_MS, ended);
      if (ended.aborted) return;
      // The step's own records tell of a journal that cannot be written.
      await journal.append({ type: 'heartbeat', step: id }).catch(() => undefined);
    }
  }

  /** A line that no disk takes is lost, and nothing else: what is at work may come to a good end. */
  async #tell(step: Step, message: string, fromOutput = false): Promise<void> {
    const more = fromOutput ? { fromOutput } : {};
    try {
      await this.#o.journal.append({ type: 'step.progress', step: step.id, message, ...more });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
    }
  }

  #outOfTime(step: Step, last: Failure | undefined): Verdict {
    const cause = `The deadline of ${this.#o.deadlineSeconds} s passed in step "${step.title}".`;
    return { result: 'deadline-exceeded', failure: last ?? failure('DeadlineExceeded', cause) };
  }

  #interruption(step: Step): Verdict {
    return {
      result: 'transient',
      failure: failure('Interrupted', `The agent was told to stop in step "${step.title}".`),
    };
  }

  async #find(finding: Omit<Finding, 'type'>, sync: 'now' | 'with-next' = 'now'): Promise<void> {
    // A step that is tried again finds the same again.
    const isKnown = ({ code, message }: Omit<Finding, 'type'>): boolean =>
      code === finding.code && message === finding.message;
    if (this.#findings.some(isKnown)) return;
    this.#findings.push(finding);
    await this.#o.journal.append({ type: 'finding', ...finding }, sync);
  }

  /** After a step that is done, the next record follows at once, so one sync serves both. */
  async #end(
    step: Step,
    end: Omit<StepEnded, 'type' | 'step' | 'digest'>,
    sync: 'now' | 'with-next' = 'now',
  ): Promise<void> {
    await this.#o.journal.append({ type: 'step.ended', step: step.id, digest: step.digest, ...end }, sync);
  }

  #note(step: Step, result: StepVerdict['result'], attempts: number, ms: number): void {
    this.#verdicts.set(step.id, { id: step.id, title: step.title, result, attempts, seconds: ms / 1000 });
  }
}

/** The same past, with a fresh budget of time and attempts. */
function forgetBudget(history: History): History {
  return {
    ...history,
    activeMs: 0,
    step: (id, digest) => ({ ...history.step(id, digest), attempts: 0, spentMs: 0 }),
  };
}

/** A failed step that does not stop the sequence has had its run. */
const isToRunAgain = (step: Step, { retryInMs, result }: StepEnded): boolean =>
  retryInMs !== undefined || (result === 'failed' && stops(step));

const stops = ({ onFailure = 'stop' }: Step): boolean => onFailure === 'stop';

function asFinding(step: Step, { code, cause }: Failure): Omit<Finding, 'type'> {
  const message = cause.includes(step.title) ? cause : `${step.title}: ${cause}`;
  return { severity: 'warning', code, message };
}
