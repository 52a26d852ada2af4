import { isExpected } from '../../kit/errors.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Diagnostic } from '../document/document.ts';
import type { Loaded } from '../userdata/load.ts';
import type { BootstrapOptions } from './options.ts';
import { entryFinding } from './report-entry.ts';

/** What the source of the user data wants done, each callback upon its own event. */
type Callbacks = Extract<Loaded, { kind: 'document' }>['callbacks'];

/** A file that somebody named stays as it is, and so does user data that makes no node. */
export function wipeCallback(
  { host, userDataFile }: Pick<BootstrapOptions, 'host' | 'userDataFile'>,
  loaded: Extract<Loaded, { kind: 'document' }>,
): Callbacks {
  const { wipe = true, withoutKubeadm = false } = loaded.document;
  const { handedOver } = loaded;
  // What lay elsewhere was nowhere in clear here, so it never stays.
  if (handedOver === undefined && (!wipe || withoutKubeadm || userDataFile !== undefined)) return [];
  const title = 'wipe the secrets of the user data from where this machine keeps them';
  const run = async () => {
    const black = await (await import('./wipe/wipe.ts')).wipe(host, loaded);
    if (handedOver === undefined) return;
    await (await import('../sealed/saved-user-data.ts')).saveAfterSuccess(host, handedOver, black);
  };
  return [{ when: 'succeeded', title, run }];
}

/** Runs last, when no start needs the user data any more; later starts run it again until it succeeds. */
export function deleteCallback({ handedOver }: Extract<Loaded, { kind: 'document' }>): Callbacks {
  const run = handedOver?.spend;
  if (run === undefined) return [];
  return [{ when: 'succeeded', code: 'SecretNotDeleted', title: 'delete the user data where they lay', run }];
}

/** Runs the callbacks of a success. @returns the verdict, with a warning for each that failed */
export async function withSuccessCallbacks(
  options: Pick<BootstrapOptions, 'watcher'>,
  outcome: Outcome,
  callbacks: Callbacks,
): Promise<Outcome> {
  if (outcome.result !== 'succeeded') return outcome;
  const failedCallbacks = await runSourceCallbacks(options, callbacks, 'succeeded');
  return { ...outcome, findings: [...outcome.findings, ...failedCallbacks.map(entryFinding)] };
}

/** Runs the callbacks of this event. @returns a warning for each that failed */
export async function runSourceCallbacks(
  { watcher }: Pick<BootstrapOptions, 'watcher'>,
  callbacks: Callbacks,
  when: Callbacks[number]['when'],
): Promise<Diagnostic[]> {
  const failed: Diagnostic[] = [];
  for (const { title, code = 'SourceNotServed', run } of callbacks.filter(
    (callback) => callback.when === when,
  )) {
    try {
      await run();
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
