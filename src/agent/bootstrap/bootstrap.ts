import type { Outcome } from '../../protocol/outcome.ts';
import type { PowerStateSettings } from '../document/system-settings.ts';
import { lastInstance, writeNoteBesideJournal } from '../engine/last-instance.ts';
import { outcomeWithoutSequence } from '../engine/outcome.ts';
import { recordsOf } from '../engine/parse-journal.ts';
import { areWiped } from '../engine/wiped-note.ts';
import { saveInstance } from '../platform/instance/instance.ts';
import { plan } from '../steps/plan.ts';
import { exposure } from './exposure.ts';
import { keepExistingNode } from './keep-existing-node.ts';
import type { Asked } from './lifecycle/lifecycle.ts';
import { shouldRetryFailed } from './lifecycle/should-retry-failed.ts';
import { loadUserData } from './load-user-data.ts';
import type { BootstrapOptions } from './options.ts';
import { runDocument } from './run-document.ts';
import {
  deleteCallback,
  runSourceCallbacks,
  wipeCallback,
  withSuccessCallbacks,
} from './source-callbacks.ts';
import { withVerdict } from './with-verdict.ts';

/**
 * The agent's thread from user data to outcome. Always resolves with a verdict, which is in `outcome.json`
 * too. Rejects only when another agent is at work (`AgentBusyError`): its verdict must stand.
 */
export async function bootstrap(given: BootstrapOptions): Promise<Outcome> {
  const asked = await askedFor(given);
  const options = { ...given, asked, isAgain: asked === 'again' };
  const { host, agent, isAgain, watcher } = options;
  const startedAt = host.clock.monotonic();
  let powerState: PowerStateSettings | undefined;
  const how = { mode: 'bootstrap', agent, isAgain, ...options.verdict } as const;
  const verdict = await withVerdict(host, how, async (about) => {
    const answer = await loadUserData(options);
    if (answer.kind === 'none') {
      const { permanent, failure, instance = await lastInstance(host) } = answer;
      const kept = await keepExistingNode(options, { ...about, instance }, failure);
      return (
        kept?.outcome ?? outcomeWithoutSequence(host, about, permanent ? 'bad-input' : 'transient', failure)
      );
    }
    const { seed } = answer;
    about.instance = answer.document.instance.id ?? about.instance;
    await saveInstance(host, answer.document.instance);
    const isWiped = await areWiped(host, answer.userData);
    const wiping = isWiped ? [] : wipeCallback(options, answer);
    const callbacks = [...answer.callbacks, ...wiping, ...deleteCallback(answer)];
    const failedCallbacks = await runSourceCallbacks(options, callbacks, 'read');
    const exposed = await exposure(host, answer.document, answer.cloud);
    const report = [...answer.document.report, ...failedCallbacks, ...exposed];
    const document = { ...answer.document, report, isWiped };
    const { outcome, action } = await runDocument(
      { ...options, startedAt, ...(seed === undefined ? {} : { seed }) },
      about,
      document,
      plan,
    );
    // What was not acted upon stays where it lies, for who asks for it.
    if (action === 'keep' || action === 'defer') return outcome;
    if ((action === 'apply' || action === 'nothing') && outcome.result === 'succeeded')
      await writeNoteBesideJournal(host, about.instance, seed);
    // A run that goes on at the next boot has no verdict yet, and bad input changes nothing.
    if (action === 'run' || action === 'retry')
      if (outcome.result === 'succeeded' || outcome.result === 'failed')
        powerState = answer.document.system?.powerState;
    // Nobody knows whether it has done its work: whoever tries again needs its secrets.
    return isNotKnown(outcome) ? outcome : withSuccessCallbacks(options, outcome, callbacks);
  });
  if (powerState !== undefined) {
    const { changePowerState } = await import('../engine/power-state.ts');
    const done = await changePowerState(host, verdict.instance, powerState);
    if (done !== undefined) watcher.output(`slipway: ${done}`, 'stderr');
  }
  return verdict;
}

/** A journal that cannot be read has its say later, as a verdict. */
async function askedFor({ host, isAgain }: BootstrapOptions): Promise<Asked> {
  if (!isAgain) return 'boot';
  return shouldRetryFailed(await recordsOf(host).catch(() => [])) ? 'retry' : 'again';
}

const isNotKnown = ({ findings }: Outcome): boolean =>
  findings.some(({ code }) => code === 'NotKnownToMakeANode');
