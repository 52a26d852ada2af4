import type { Outcome } from '../../protocol/outcome.ts';
import type { PowerStateSettings } from '../document/system-settings.ts';
import { lastInstance, noteAlone, noteOf } from '../engine/last-instance.ts';
import { outcomeWithoutSequence } from '../engine/outcome.ts';
import { recordsOf } from '../engine/parse-journal.ts';
import type { NoteAtSuccess } from '../engine/sequence.ts';
import { areWiped } from '../engine/wiped-note.ts';
import { keepInstance } from '../platform/instance/keep-instance.ts';
import { plan } from '../steps/plan.ts';
import { asNode } from './as-node.ts';
import { exposure } from './exposure.ts';
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
  const isAnew = (given.isAgain && (await isToTryAnew(given.host))) ?? false;
  const options = isAnew ? { ...given, isAgain: false } : given;
  const { host, agent, watcher } = options;
  let powerState: PowerStateSettings | undefined;
  const how = { mode: 'bootstrap', agent, isAgain: options.isAgain ?? false, ...options.verdict } as const;
  const verdict = await withVerdict(host, how, async (about) => {
    let isLeft = false;
    const onLeft = () => {
      isLeft = true;
    };
    const answer = await loadUserData(options);
    if (answer.kind === 'none') {
      const { permanent, failure, instance = await lastInstance(host) } = answer;
      const left = await asNode({ ...options, onLeft }, { ...about, instance }, failure);
      return left ?? outcomeWithoutSequence(host, about, permanent ? 'bad-input' : 'transient', failure);
    }
    about.instance = answer.document.instance.id ?? about.instance;
    await keepInstance(host, answer.document.instance);
    const isWiped = await areWiped(host, answer.userData);
    const callbacks = [
      ...answer.callbacks,
      ...(isWiped ? [] : wipeCallback(options, answer)),
      ...deleteCallback(answer),
    ];
    const failedCallbacks = await runSourceCallbacks(options, callbacks, 'read');
    const exposed = await exposure(host, answer.document, answer.cloud);
    const report = [...answer.document.report, ...failedCallbacks, ...exposed];
    const document = { ...answer.document, report, isWiped };
    const note: NoteAtSuccess = async (records) => (isLeft ? undefined : noteOf(host, records, answer.seed));
    const outcome = await runDocument({ ...options, isAnew, onLeft, note }, about, document, plan);
    // What was not acted upon stays where it lies, for who asks for it.
    if (isLeft) return outcome;
    if (options.isAgain && outcome.result === 'succeeded') await noteAlone(host, about.instance, answer.seed);
    // A run that goes on at the next boot has no verdict yet, and bad input changes nothing.
    if (!options.isAgain && (outcome.result === 'succeeded' || outcome.result === 'failed'))
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

const isNotKnown = ({ findings }: Outcome): boolean =>
  findings.some(({ code }) => code === 'NotKnownToMakeANode');

/** A journal that cannot be read has its say later, as a verdict. */
async function isToTryAnew(host: BootstrapOptions['host']): Promise<boolean> {
  const { shouldRetryFailed } = await import('./lifecycle/should-retry-failed.ts');
  return shouldRetryFailed(await recordsOf(host).catch(() => []));
}
