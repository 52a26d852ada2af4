import type { Failure, Finding, JournalRecord, StepOutline } from '../../protocol/journal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { STATE_DIR } from '../document/paths.ts';
import { Journal } from '../engine/journal.ts';
import { forgetNoteBeside } from '../engine/last-instance.ts';
import { outcomeOf, outcomeWithoutSequence } from '../engine/outcome.ts';
import { runSequence } from '../engine/run/run-sequence.ts';
import type { SequenceOptions } from '../engine/sequence.ts';
import type { Step } from '../engine/step.ts';
import { stillStarting } from '../startup/starting.ts';
import { planDigest } from '../steps/plan.ts';
import type { Deferred } from './lifecycle/defer-changes.ts';
import { findLostRecords } from './lifecycle/find-lost-records.ts';
import { recordDone, recordRetry } from './lifecycle/record-steps.ts';
import { withoutSecrets } from './lifecycle/without-secrets.ts';
import type { BootstrapOptions } from './options.ts';
import type { About } from './with-verdict.ts';

/** Opens the journal, runs the steps and makes the outcome of it. */
export async function runJournalled(
  options: Pick<BootstrapOptions, 'host' | 'deadlineSeconds' | 'stop' | 'watcher'> &
    Pick<SequenceOptions, 'digest' | 'findings' | 'commandsDecide' | 'note'> & {
      about: About;
      steps: Step[];
      /** The user data have lost their secrets since they did their work. */
      isWiped: boolean;
      /** What a boot does of other user data than those that made the node; undefined: all of it. */
      leave?: (records: readonly JournalRecord[]) => Promise<Deferred | undefined>;
      /** Asked before the first change to this machine: why it would be made in vain. */
      refuse?: () => Promise<Failure | undefined>;
      /** Steps that are not done again: in the journal before any other begins, so that no later boot does them. */
      settled?: readonly StepOutline[];
      /** Steps that have failed and had their run are run anew. */
      isAnew?: boolean;
      /** Asked where the journal has lost something, and what was under way then is over. */
      isStillNode: () => Promise<boolean>;
    },
): Promise<Outcome> {
  const { host, about, watcher, isStillNode, isWiped, isAnew, settled, leave, refuse, ...given } = options;
  await host.files.mkdir(STATE_DIR, 0o700);
  const journal = await Journal.open(host);
  const inVain = journal.records.length === 0 ? await refuse?.() : undefined;
  if (inVain) {
    await journal.close();
    return outcomeWithoutSequence(host, about, 'bad-input', inVain, given.findings);
  }
  const left = await leave?.(journal.records);
  const sequence = isWiped
    ? keptStep(given, journal.records, about.instance)
    : { ...given, ...(left ? asLeft(left, given.findings) : {}) };
  try {
    if (isAnew) await recordRetry({ ...about, host, journal, steps: sequence.steps, pid: process.pid });
    journal.observe((record) => watcher.record(record));
    const output = watcher.output.bind(watcher);
    const findings = [...sequence.findings];
    const lost = await findLostRecords(host, journal, sequence.steps, { isWiped, instance: about.instance });
    if (lost) {
      const { steps } = sequence;
      const isNode = lost.wasOver && (await isStillNode());
      const message = 'taken for done: the journal was damaged, and the machine is a node';
      if (isNode) await recordDone({ ...about, host, journal, steps, pid: process.pid, message });
      // A machine that is none is told what else is wrong.
      if (isNode || journal.lostBytes > 0) findings.push(damaged(lost.what, isNode));
    }
    if (settled) {
      const message = 'left as it is: only what has changed is done again';
      await recordDone({ ...about, host, journal, steps: settled, pid: process.pid, message });
    }
    const result = await runSequence({
      ...sequence,
      ...about,
      findings,
      host,
      journal,
      pid: process.pid,
      uptimeMs: Math.round(1000 * process.uptime()),
      notFinal: (code) => stillStarting(host, code),
      output,
    });
    const last = journal.records.at(-1);
    if (last?.type === 'sequence.ended' && last.noted) await forgetNoteBeside(host);
    return await outcomeOf(host, about, result);
  } finally {
    await journal.close();
  }
}

function keptStep<T extends Pick<SequenceOptions, 'steps' | 'digest'>>(
  given: T,
  records: readonly JournalRecord[],
  instance: string,
): T {
  const steps = withoutSecrets(given.steps, records, instance);
  return { ...given, steps, digest: planDigest(steps) };
}

function asLeft({ steps, findings }: Deferred, others: SequenceOptions['findings']) {
  return { steps, digest: planDigest(steps), findings: [...others, ...findings], commandsDecide: false };
}

function damaged(what: string, isNode: boolean): Omit<Finding, 'type'> {
  const done = isNode ? '; this machine is a node all the same, so nothing was done again' : '';
  return { severity: 'warning', code: 'JournalDamaged', message: `${what}${done}` };
}
