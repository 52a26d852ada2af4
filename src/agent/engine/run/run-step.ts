import { BACKOFF, backoffMs } from '../../../kit/backoff.ts';
import { errorMessage } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import type { Failure, StepEnded } from '../../../protocol/journal.ts';
import type { StepVerdict } from '../../../protocol/outcome.ts';
import { codeOf, failure } from '../failure.ts';
import type { History } from '../history.ts';
import type { SequenceOptions } from '../sequence.ts';
import type { Step, StepContext, StepResult } from '../step.ts';
import type { Deadline } from './deadline.ts';
import type { SequenceLog } from './sequence-log.ts';
import { shouldRunAgain, type Verdict } from './step-verdict.ts';

const DEFAULT_ATTEMPTS = 3;
const CALL_AGAIN = 'Call kubeadm again as before; it goes on where it stopped.';

/** Runs steps by their attempts, and knows how each has ended. */
export class StepRunner {
  readonly verdicts: Map<string, StepVerdict>;
  /** How many steps it has run; an earlier process had finished the others. */
  ran = 0;
  readonly #o: SequenceOptions;
  readonly #history: History;
  readonly #deadline: Deadline;
  readonly #log: SequenceLog;
  readonly #signal: AbortSignal;
  readonly #skipped: Step[] = [];
  /** All that may not be on the disk yet may be lost: it tells of repeatable steps. */
  #mayLose: boolean;
  /** What this sequence has run, by id: where it ended in the journal, if that was in an earlier process. */
  readonly #ran: Map<string, number>;

  /** @param signal aborts at the soft deadline, or when the agent is told to stop */
  constructor(
    options: SequenceOptions,
    history: History,
    deadline: Deadline,
    log: SequenceLog,
    signal: AbortSignal,
  ) {
    this.#o = options;
    this.#history = history;
    this.#ran = new Map(history.ranNow);
    // What came before this sequence, of this agent or another one, tells of more than steps.
    this.#mayLose = options.journal.records.length === 0;
    this.#deadline = deadline;
    this.#log = log;
    this.#signal = signal;
    this.verdicts = new Map(
      options.steps.map(({ id, title }) => [id, { id, title, result: 'not run', attempts: 0, seconds: 0 }]),
    );
  }

  /** Runs one step until it is done or has failed for good. Undefined when it is done. */
  async run(step: Step): Promise<Verdict | undefined> {
    const { host, stop } = this.#o;
    const { attempts = DEFAULT_ATTEMPTS, backoff = BACKOFF.step } = step;
    const past = this.#history.step(step.id, step.digest);
    const isMissing = past.ended?.result === 'done' && this.#restsOnNew(step, past.ended);
    if (past.ended && !isMissing && (await this.#isDone(step, past.ended, past.superseded))) {
      await step.settled?.(host, past.ended.result === 'done');
      this.#skipped.push(step);
      for (const finding of past.findings) await this.#log.find(finding, 'with-next');
      this.#note(step, past.ended.result === 'failed' ? 'failed' : 'done', past.ended.attempt, past.ended.ms);
      const isSince = past.ended.seq < this.#history.succeededAt;
      const toldAgain = isSince ? 'bootstrapped since' : 'not yet bootstrapped';
      return past.ended.failure && { result: 'failed', failure: past.ended.failure, toldAgain };
    }
    for (const finished of this.#skipped.splice(0)) await finished.renew?.(host);
    if (this.ran === 0) await this.#startAhead(step);
    this.ran += 1;
    let interrupted = past.interrupted;
    // A run that outlived its agent belongs to the attempt that began it.
    const goesOn = past.interrupted && (await step.isUnderWay?.(host)) === true;
    let attempt = goesOn ? past.attempts - 1 : past.attempts;
    let last: Failure | undefined = past.superseded ? undefined : past.ended?.failure;
    let isOfBefore = true;
    let spent = past.spentMs;
    for (;;) {
      if (stop.aborted) return this.#interruption(step);
      if (this.#deadline.passed) return this.#outOfTime(step, last);
      attempt += 1;
      const isFirst = attempt === 1 && !interrupted;
      const sync = step.repeatable && isFirst && this.#mayLose ? 'with-next' : 'now';
      await this.#o.journal.append(
        { type: 'step.started', step: step.id, digest: step.digest, attempt },
        sync,
      );
      this.#mayLose = step.repeatable === true;
      const before = host.clock.monotonic();
      const result = await this.#log.beating(step, () =>
        this.#attempt(step, { attempt, interrupted, isMissing }),
      );
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
      // The deadline cut this attempt off; the one before it came to its own end and says more. That of an earlier run may be over.
      const saysMore = !isOfBefore || result.failure.code === 'DeadlineExceeded';
      if (!this.#deadline.passed || !last || !saysMore) {
        last = result.failure;
        isOfBefore = false;
      }
      this.#note(step, 'failed', attempt, spent);
      const mayRepeat = result.retry === 'until-deadline' || (result.retry === 'yes' && attempt < attempts);
      const isOver = mayRepeat || result.isFinal === true;
      const starting = isOver ? undefined : await this.#notFinal(step, result.failure.code);
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

  /** How many steps had their run in an earlier one and are not run again, by what the journal says; a proof comes at its turn. */
  async ranBefore(): Promise<number> {
    const boot = await this.#o.host.bootId();
    return this.#o.steps.filter((step) => {
      const { ended, superseded } = this.#history.step(step.id, step.digest);
      const mayCount = ended && !superseded && !this.#isToRunAgain(step, ended);
      return mayCount && (step.when !== 'every-boot' || ended.boot === boot);
    }).length;
  }

  /** Stops in each group at a step without `ahead`: the engine may run it again though it was finished. */
  async #startAhead(current: Step): Promise<void> {
    const { steps } = this.#o;
    const seen = new Set<string>();
    for (const [index, step] of steps.entries()) {
      if (step.group === undefined || seen.has(step.group)) continue;
      const { ended } = this.#history.step(step.id, step.digest);
      if (step.ahead && ended && !this.#isToRunAgain(step, ended)) continue;
      seen.add(step.group);
      if (index > steps.indexOf(current)) await step.ahead?.();
    }
  }

  #isToRunAgain(step: Step, ended: StepEnded & { seq: number }): boolean {
    return shouldRunAgain(step, ended, { ...this.#o, succeededAt: this.#history.succeededAt });
  }

  async #isDone(
    step: Step,
    ended: StepEnded & { boot: string; seq: number },
    superseded: boolean,
  ): Promise<boolean> {
    if (this.#isToRunAgain(step, ended)) return false;
    if (step.when === 'every-boot' && ended.boot !== (await this.#o.host.bootId())) return false;
    if (step.redo) return false;
    // Another document's step ran at the same place since, so only a proof can tell.
    return step.holds ? step.holds(this.#o.host) : !superseded;
  }

  /** What was done before what it rests on may be gone. */
  #restsOnNew({ restsOn = [] }: Step, { seq }: { seq: number }): boolean {
    return restsOn.some((id) => (this.#ran.get(id) ?? 0) > seq);
  }

  async #attempt(
    step: Step,
    how: Pick<StepContext, 'attempt' | 'interrupted' | 'isMissing'>,
  ): Promise<StepResult> {
    const { host, mode } = this.#o;
    try {
      return await step.run({
        host,
        ...how,
        // Whoever calls the shim asks for just this, and gets the answer that kubeadm would give.
        doneOtherwise: mode !== 'shim' && this.#history.step(step.id, step.digest).doneOtherwise,
        signal: this.#signal,
        remainingMs: () => this.#deadline.remainingMs(),
        progress: (message, fromOutput) => this.#log.tell(step, message, fromOutput),
        finding: (finding) => this.#log.find(finding),
        output: this.#o.output ?? (() => undefined),
      });
    } catch (error) {
      const code = codeOf(error, 'FileNotWritten');
      return {
        done: false,
        failure: failure(code, errorMessage(error)),
        retry: code === 'DiskFull' ? 'yes' : 'no',
      };
    }
  }

  /** Why a failure that would end the step does not yet; it is told as progress. */
  async #notFinal(step: Step, code: Code): Promise<string | undefined> {
    const starting = await this.#log.beating(step, async () => this.#o.notFinal?.(code));
    if (starting !== undefined) await this.#log.tell(step, `${starting}; the step is tried again`);
    return starting;
  }

  #outOfTime(step: Step, last: Failure | undefined): Verdict {
    const cause = `The deadline of ${this.#o.deadlineSeconds} s passed in step "${step.title}".`;
    return { result: 'deadline-exceeded', failure: last ?? failure('DeadlineExceeded', cause) };
  }

  #interruption(step: Step): Verdict {
    // No unit starts what was called as kubeadm.
    const remedy = this.#o.mode === 'shim' ? { remedy: CALL_AGAIN } : {};
    return {
      result: 'transient',
      failure: failure('Interrupted', `The agent was told to stop in step "${step.title}".`, remedy),
    };
  }

  /** After a step that is done, the next record follows at once, so one sync serves both. */
  async #end(
    step: Step,
    end: Omit<StepEnded, 'type' | 'step' | 'digest'>,
    sync: 'now' | 'with-next' = 'now',
  ): Promise<void> {
    await this.#o.journal.append({ type: 'step.ended', step: step.id, digest: step.digest, ...end }, sync);
    this.#ran.set(step.id, Number.POSITIVE_INFINITY);
  }

  #note(step: Step, result: StepVerdict['result'], attempts: number, ms: number): void {
    this.verdicts.set(step.id, { id: step.id, title: step.title, result, attempts, seconds: ms / 1000 });
  }
}
