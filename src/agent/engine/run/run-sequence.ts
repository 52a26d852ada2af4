import { errorMessage } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { codeOf, failure } from '../failure.ts';
import { type History, historyOf } from '../history.ts';
import { successNote } from '../last-instance.ts';
import { exitStatusOf, type SequenceOptions, type SequenceResult } from '../sequence.ts';
import { Deadline } from './deadline.ts';
import { StepRunner } from './run-step.ts';
import { SequenceLog } from './sequence-log.ts';
import { stopsSequence, toFinding, toSequenceVerdict, type Verdict } from './step-verdict.ts';

/** The shell that the steps of a group share is gone, or there is none. */
const ENDS_GROUP: ReadonlySet<Code> = new Set(['CommandEndedScript', 'ToolMissing']);

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
  readonly #run: string;
  readonly #sequence: string;
  readonly #startedAt: string;
  readonly #startMono: number;
  readonly #log: SequenceLog;
  readonly #runner: StepRunner;
  readonly #end: () => void;

  constructor(options: SequenceOptions) {
    this.#o = options;
    const { host, journal, instance } = options;
    const history = historyOf(journal.records, instance);
    const resumes = history.open?.digest === options.digest;
    // Another document begins another sequence, with new time and attempts; finished steps still count.
    this.#history = resumes ? history : forgetBudget(history);
    this.#run = host.uuid();
    this.#sequence = (resumes && history.open?.sequence) || host.uuid();
    this.#startedAt = (resumes && history.startedAt) || host.clock.now().toISOString();
    this.#startMono = host.clock.monotonic();
    const beforeMs = options.startedAt === undefined ? 0 : this.#startMono - options.startedAt;
    const usedMs = this.#history.activeMs + beforeMs;
    const deadline = new Deadline(host.clock, options.deadlineSeconds * 1000, usedMs);
    this.#log = new SequenceLog(options);
    const ended = new AbortController();
    const signal = deadline.signal(options.stop, ended.signal);
    void this.#log.keepBeating(ended.signal);
    // With a reason, so that Node.js makes no error with its stack.
    this.#end = () => ended.abort('ended');
    this.#runner = new StepRunner(options, this.#history, deadline, this.#log, signal);
  }

  async run(): Promise<SequenceResult> {
    const { journal, steps, digest, deadlineSeconds, instance, mode, agent, pid, uptimeMs } = this.#o;
    let verdict: Verdict;
    try {
      const ranBefore = await this.#runner.ranBefore();
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
          ...(ranBefore > 0 ? { ranBefore } : {}),
        },
        'with-next',
      );
      for (const finding of this.#o.findings) await this.#log.find(finding, 'with-next');
      verdict = await this.#runSteps();
    } catch (error) {
      verdict = {
        result: 'transient',
        failure: failure(codeOf(error, 'JournalNotWritten'), errorMessage(error)),
      };
    } finally {
      this.#end();
    }
    const ms = this.#history.activeMs + this.#o.host.clock.monotonic() - this.#startMono;
    if (verdict.failure?.code !== 'Interrupted') await this.#conclude(verdict, ms);
    return {
      result: verdict.result,
      exitStatus: exitStatusOf(verdict.result),
      ...(verdict.failure ? { failure: verdict.failure } : {}),
      ...(verdict.step ? { failedStep: verdict.step } : {}),
      findings: this.#log.findings,
      steps: [...this.#runner.verdicts.values()],
      ran: this.#runner.ran,
      sequence: this.#sequence,
      startedAt: this.#startedAt,
      ms,
    };
  }

  async #conclude(verdict: Verdict, ms: number): Promise<void> {
    const { host, journal, note } = this.#o;
    try {
      const isNodeUnknown =
        verdict.result === 'succeeded' &&
        this.#log.findings.some(({ code }) => code === 'NotKnownToMakeANode');
      const isNoted = note !== undefined && verdict.result === 'succeeded' && !isNodeUnknown;
      const noted = isNoted ? await successNote(host, journal.records, note.seed) : undefined;
      await journal.append({
        type: 'sequence.ended',
        run: this.#run,
        sequence: this.#sequence,
        result: verdict.result,
        exitStatus: exitStatusOf(verdict.result),
        ms,
        ...(verdict.failure ? { failure: verdict.failure } : {}),
        ...(verdict.step ? { failedStep: verdict.step } : {}),
        ...(isNodeUnknown ? { isNodeUnknown } : {}),
        ...(noted ? { noted } : {}),
      });
    } catch (error) {
      // The verdict stands: the outcome file holds it, and this finding says that the journal does not.
      this.#log.findings.push({
        severity: 'warning',
        code: codeOf(error, 'JournalNotWritten'),
        message: errorMessage(error),
      });
    }
  }

  async #runSteps(): Promise<Verdict> {
    const endedGroups = new Map<string, Verdict>();
    let tolerated: Verdict | undefined;
    let decided = false;
    for (const step of this.#o.steps) {
      const groupEnd = step.group === undefined ? undefined : endedGroups.get(step.group);
      if (groupEnd && stopsSequence(step)) return groupEnd;
      if (groupEnd) continue;
      const end = await this.#runner.run(step);
      if (!end) {
        if (step.decides && (await step.holds?.(this.#o.host))) decided = true;
        continue;
      }
      const verdict = toSequenceVerdict(step, end);
      if (stopsSequence(step) || end.result === 'deadline-exceeded' || this.#o.stop.aborted) return verdict;
      if (end.failure) await this.#log.find(toFinding(step, end.failure, end.toldAgain));
      if (step.group && end.failure && ENDS_GROUP.has(end.failure.code)) endedGroups.set(step.group, verdict);
      tolerated ??= verdict;
    }
    return (this.#o.commandsDecide && !decided && tolerated) || { result: 'succeeded' };
  }
}

/** The same past, with a fresh budget of time and attempts. */
function forgetBudget(history: History): History {
  return {
    ...history,
    ranNow: new Map(),
    activeMs: 0,
    step: (id, digest) => ({ ...history.step(id, digest), attempts: 0, spentMs: 0 }),
  };
}
