import type { JournalRecord } from '../../../protocol/journal.ts';
import { failure } from '../../engine/failure.ts';
import type { Step } from '../../engine/step.ts';

/**
 * The steps of user data that have lost their secrets, as they were with them: what the journal knows as done stays done,
 * and what is not cannot be done any more. A command of every boot has kept what it needs.
 */
export function withoutSecrets(
  steps: readonly Step[],
  records: readonly JournalRecord[],
  instance: string,
): Step[] {
  const digests = digestsOf(records, instance);
  return steps.map(({ renew: _, ...step }) => ({
    ...step,
    digest: digests.get(step.id) ?? step.digest,
    ...(step.when === 'every-boot' ? {} : { run: gone }),
  }));
}

const gone: Step['run'] = async () => ({
  done: false,
  failure: failure('UserDataWiped', 'The user data lost their secrets after an earlier bootstrap.'),
  retry: 'no',
});

/** The steps of this machine's last sequence. */
function digestsOf(records: readonly JournalRecord[], instance: string): Map<string, string> {
  let mine = false;
  let last = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'run.started') mine = record.instance === instance;
    if (mine && record.type === 'sequence.started')
      last = new Map(record.steps.map(({ id, digest }) => [id, digest]));
  }
  return last;
}
