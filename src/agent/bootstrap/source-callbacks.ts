import { isExpected } from '../../kit/errors.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ReportEntry } from '../document/document.ts';
import type { Loaded } from '../userdata/load.ts';
import type { BootstrapOptions } from './options.ts';
import { asFinding } from './report-entry.ts';

/** What the source of the user data is owed, each upon its own event. */
type Duties = Extract<Loaded, { kind: 'document' }>['duties'];

/** A file that somebody named stays as it is, and so does user data that makes no node. */
export function wiping(
  { host, userDataFile }: Pick<BootstrapOptions, 'host' | 'userDataFile'>,
  loaded: Extract<Loaded, { kind: 'document' }>,
): Duties {
  const { wipe = true, withoutKubeadm = false } = loaded.document;
  const { handedOver } = loaded;
  // What lay elsewhere was nowhere in clear here, so it never stays.
  if (handedOver === undefined && (!wipe || withoutKubeadm || userDataFile !== undefined)) return [];
  const title = 'wipe the secrets of the user data from where this machine keeps them';
  const pay = async () => {
    const black = await (await import('./wipe/wipe.ts')).wipe(host, loaded);
    if (handedOver === undefined) return;
    await (await import('../sealed/keep-done.ts')).keepDone(host, handedOver, black);
  };
  return [{ when: 'succeeded', title, pay }];
}

/** In the end, when no start needs them any more; again at later starts until it is done. */
export function spending({ handedOver }: Extract<Loaded, { kind: 'document' }>): Duties {
  const pay = handedOver?.spend;
  if (pay === undefined) return [];
  return [{ when: 'succeeded', code: 'SecretNotDeleted', title: 'delete the user data where they lay', pay }];
}

/** The verdict when what is due upon success is done; with a warning for each thing that could not be done. */
export async function paidFor(
  options: Pick<BootstrapOptions, 'watcher'>,
  outcome: Outcome,
  duties: Duties,
): Promise<Outcome> {
  if (outcome.result !== 'succeeded') return outcome;
  const unpaid = await payDuties(options, duties, 'succeeded');
  return { ...outcome, findings: [...outcome.findings, ...unpaid.map(asFinding)] };
}

/** What the source of the user data is owed now. @returns a warning for each thing that could not be done */
export async function payDuties(
  { watcher }: Pick<BootstrapOptions, 'watcher'>,
  duties: Duties,
  when: Duties[number]['when'],
): Promise<ReportEntry[]> {
  const failed: ReportEntry[] = [];
  for (const { title, code = 'SourceNotServed', pay } of duties.filter((duty) => duty.when === when)) {
    try {
      await pay();
      watcher.output(`slipway: done: ${title}`, 'stderr');
    } catch (error) {
      if (!isExpected(error)) throw error;
      const message = `Cannot ${title}: ${error.message}`;
      watcher.output(`slipway: ${message}`, 'stderr');
      failed.push({ severity: 'warning', code, message });
    }
  }
  return failed;
}
