import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import { formatMs } from '../../kit/duration.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import { timeLimit } from '../host/time-limit.ts';
import { stillStarting } from '../startup/starting.ts';
import { type Loaded, type LoadOptions, loadDocument } from '../userdata/load.ts';
import { deadlineOfMachine } from '../userdata/node-settings/node-files.ts';
import type { NoDocument, OpenUserData } from '../userdata/user-data-reference.ts';
import { type BootstrapOptions, DEFAULT_DEADLINE_SECONDS } from './options.ts';

/** Servers that may answer later. */
const AWAITED: readonly Code[] = ['MetadataUnreachable', 'ResourceNotFetched'];
/** What a clock says that is not set yet is not the last word. */
const RESTS_ON_CLOCK: readonly Code[] = ['SealedDataExpired'];
/** Nor what answers before the network is up, or before the cloud has put there what belongs to this instance. */
const RESTS_ON_NETWORK: readonly Code[] = ['MetadataRefused', 'UserDataEmpty'];

/**
 * A seed volume may be attached late: as long as disks still come up, its absence is no verdict. A metadata service that the
 * machine shows to be its own is asked until the deadline. Nothing is waited for longer than that: a unit may start forever.
 */
export async function loadUserData(options: BootstrapOptions): Promise<Loaded> {
  const { host, stop, watcher } = options;
  const deadlineSeconds =
    options.deadlineSeconds ?? (await deadlineOfMachine(host)) ?? DEFAULT_DEADLINE_SECONDS;
  const end = host.clock.monotonic() + deadlineSeconds * 1000;
  const open: OpenUserData = async (elsewhere, claimed) =>
    'references' in elsewhere
      ? (await import('../sealed/fetch-chunks.ts')).fetchChunks(host, elsewhere, stop)
      : (await import('../sealed/open-user-data.ts')).openSealedUserData(host, elsewhere, claimed);
  let until: AbortSignal | undefined;
  const signal = () => {
    const leftMs = Math.max(0, Math.round(end - host.clock.monotonic()));
    until ??= AbortSignal.any([stop, AbortSignal.timeout(leftMs)]);
    return until;
  };
  const limit = timeLimit(() => end - host.clock.monotonic());
  let told = '';
  const setUpNetwork: LoadOptions['setUpNetwork'] = async (settings) => {
    const { applyNetwork } = await import('../network/apply-network.ts');
    const tell = (line: string) => watcher.output(`slipway: ${line}`, 'stderr');
    const { done, remarks } = await applyNetwork(host, settings, stop, tell);
    for (const line of [`the network is set up: ${done}`, ...remarks]) tell(line);
  };
  for (let looks = 1; ; looks += 1) {
    const answer = await loadDocument(host, {
      ...options,
      ...{ keepsIncluded: true, open, signal, limit },
      ...(options.isAgain
        ? {}
        : {
            refuse: async (found) => (await import('./lifecycle/find-state.ts')).foreignSeed(host, found),
          }),
      // The network of a machine that works stays as it is; on Windows cloudbase-init's own plug-in sets it up.
      ...(options.isAgain || host.platform === 'windows' ? {} : { setUpNetwork }),
    });
    if (answer.kind === 'document' || stop.aborted) return answer;
    const { waitMs, permanent } = answer;
    const { code, cause } = answer.failure;
    const mayPass = !permanent && (AWAITED.includes(code) || waitMs !== undefined);
    const leftMs = end - host.clock.monotonic();
    // A file that somebody names comes over no network.
    const mayChange =
      RESTS_ON_CLOCK.includes(code) ||
      (options.userDataFile === undefined && RESTS_ON_NETWORK.includes(code));
    const starting = permanent && !mayChange ? undefined : await stillStarting(host, code);
    if (starting === undefined && !(mayPass && leftMs > 0)) return answer;
    if (starting !== undefined && leftMs <= 0) return cutOff(answer, starting, deadlineSeconds);
    if (told !== cause)
      watcher.output(`slipway: ${cause} Looking again${starting ? `: ${starting}` : '.'}`, 'stderr');
    told = cause;
    const pauseMs = waitMs ?? backoffMs(looks, BACKOFF.userData, () => host.random());
    await host.clock.sleep(Math.min(pauseMs, Math.max(leftMs, 0)), stop).catch(() => undefined);
  }
}

/** What a machine says that has not started yet is not the last word, but somebody waits for one. */
function cutOff(answer: NoDocument, starting: string, seconds: number): NoDocument {
  const { failure } = answer;
  const cause = `${failure.cause} Slipway looked again until its deadline of ${formatMs(seconds * 1000)}: ${starting}.`;
  return { ...answer, permanent: false, failure: { ...failure, cause } };
}
