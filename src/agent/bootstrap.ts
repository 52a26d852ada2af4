import { BACKOFF, backoffMs } from '../kit/backoff.ts';
import { ExpectedError, errorMessage, isExpected } from '../kit/errors.ts';
import { positionText } from '../kit/position.ts';
import { clean } from '../kit/secrets/clean.ts';
import { remember } from '../kit/secrets/known.ts';
import { redact } from '../kit/secrets/redact.ts';
import { visibleTexts } from '../kit/terminal/visible.ts';
import type { Code } from '../protocol/codes/codes.ts';
import type { Failure, Finding, JournalRecord, StepOutline } from '../protocol/journal.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Document } from './document/document.ts';
import { OUTCOME_ASIDE, STATE_DIR } from './document/paths.ts';
import type { PowerStateSettings } from './document/system-settings.ts';
import { runSequence, type SequenceOptions } from './engine/engine.ts';
import { codeOf, failure } from './engine/failure.ts';
import { historyOf } from './engine/history.ts';
import { machineInstance } from './engine/instance.ts';
import { Journal } from './engine/journal.ts';
import {
  outcomeOf,
  outcomeWithoutSequence,
  removeOutcome,
  writeOutcome,
  writeOutcomeAside,
} from './engine/outcome.ts';
import { recordDone } from './engine/record-done.ts';
import type { Step } from './engine/step.ts';
import type { Host, Lock } from './host/host.ts';
import { configurationReport } from './preflight/configuration-report.ts';
import { knownSecrets } from './secrets/document-secrets.ts';
import { hiddenStep } from './secrets/hidden-step.ts';
import { stillStarting } from './startup/starting.ts';
import { fitting } from './steps/fitting.ts';
import { openShared, type Shared } from './steps/kind/shared.ts';
import { loadSteps, type PlannedStep } from './steps/kind/step-kind.ts';
import { plan, planDigest } from './steps/plan.ts';
import type { Cloud } from './userdata/instance/instance.ts';
import { keepInstance } from './userdata/instance/keep-instance.ts';
import { type Loaded, type LoadOptions, loadDocument } from './userdata/load.ts';
import { checkMakesNode } from './userdata/makes-node.ts';
import type { Opener } from './userdata/opened.ts';
import { doneBefore } from './wipe/done-before.ts';
import { areWiped } from './wipe/note.ts';

/** At what labels need of this machine. */
const LOOK_AGAIN_MS = 500;
/** Servers that may answer later. */
const AWAITED: readonly Code[] = ['MetadataUnreachable', 'ResourceNotFetched'];
/** What a clock says that is not set yet is not the last word. */
const RESTS_ON_CLOCK: readonly Code[] = ['SealedDataExpired'];

export interface Watcher {
  /** Each journal record, after it is on disk. */
  record(record: JournalRecord): void;
  /** Each line that a child printed, redacted. */
  output(line: string, stream: 'stdout' | 'stderr'): void;
}

export interface BootstrapOptions {
  host: Host;
  agent: string;
  userDataFile?: string;
  metaDataFile?: string;
  networkFile?: string;
  source?: string;
  deadlineSeconds: number;
  /** Aborts when somebody stops the agent. */
  stop: AbortSignal;
  /** A command of the user data asks for a reboot; `stop` aborts then. Without it such a command has failed. */
  askReboot?: () => void;
  /** Do what has changed since the last success, and nothing else. */
  isAgain?: boolean;
  watcher: Watcher;
  verdict: VerdictHooks;
}

/** How the verdict and the process around it speak with each other. */
export interface VerdictHooks {
  /** Rejects with an error that nobody caught: this fault of the agent becomes the verdict. */
  fault: Promise<never>;
  /** The agent could not write the verdict, so whoever waits for the file will not see it. */
  unwritten(failure: Failure): void;
}

/**
 * The agent's thread from user data to outcome. Always resolves with a verdict, which is in `outcome.json`
 * too. Rejects only when another agent is at work (`AgentBusy`): its verdict must stand.
 */
export async function bootstrap(options: BootstrapOptions): Promise<Outcome> {
  const { host, agent, watcher } = options;
  let powerState: PowerStateSettings | undefined;
  const how = { mode: 'bootstrap', agent, isAgain: options.isAgain ?? false, ...options.verdict } as const;
  const verdict = await concluding(host, how, async (about) => {
    const answer = await loadWhatComes(options);
    if (answer.kind === 'none') {
      return outcomeWithoutSequence(
        host,
        about,
        answer.permanent ? 'bad-input' : 'transient',
        answer.failure,
      );
    }
    about.instance = answer.document.instance.id ?? about.instance;
    await keepInstance(host, answer.document.instance);
    const isWiped = await areWiped(host, answer.userData);
    const duties = [...answer.duties, ...(isWiped ? [] : wiping(options, answer)), ...spending(answer)];
    const unpaid = await payDuties(options, duties, 'read');
    const exposed = await exposure(host, answer.document, answer.cloud);
    const report = [...answer.document.report, ...unpaid, ...exposed];
    const outcome = await runDocument(options, about, { ...answer.document, report, isWiped }, plan);
    // A run that goes on at the next boot has no verdict yet, and bad input changes nothing.
    if (!options.isAgain && (outcome.result === 'succeeded' || outcome.result === 'failed'))
      powerState = answer.document.system?.powerState;
    return paidFor(options, outcome, duties);
  });
  if (powerState !== undefined) {
    const { changePowerState } = await import('./engine/power-state.ts');
    const done = await changePowerState(host, verdict.instance, powerState);
    if (done !== undefined) watcher.output(`slipway: ${done}`, 'stderr');
  }
  return verdict;
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
    await (await import('./sealed/keep-done.ts')).keepDone(host, handedOver, black);
  };
  return [{ when: 'succeeded', title, pay }];
}

/** In the end, when no start needs them any more; again at later starts until it is done. */
function spending({ handedOver }: Extract<Loaded, { kind: 'document' }>): Duties {
  const pay = handedOver?.spend;
  if (pay === undefined) return [];
  return [{ when: 'succeeded', code: 'SecretNotDeleted', title: 'delete the user data where they lay', pay }];
}

/** A warning where a web server goes on to give the secrets to whoever reaches it from here. */
export async function exposure(host: Host, document: Document, cloud: Cloud | undefined): Promise<Entry[]> {
  if (document.isMetadataGuarded || cloud === undefined) return [];
  if ((await knownSecrets(host, document)).length === 0) return [];
  const { exposedAt } = await import('./userdata/sources/exposed.ts');
  const origin = await exposedAt(host, cloud);
  if (origin === undefined) return [];
  const message = `The user data, with what is secret in them, stay readable at ${origin} for whoever reaches it; pods do, unless something keeps them from it.`;
  return [{ severity: 'warning', code: 'MetadataServesSecrets', message }];
}

/**
 * A seed volume may be attached late: as long as disks still come up, its absence is no verdict. A metadata service that the
 * machine shows to be its own is asked until the deadline.
 */
async function loadWhatComes(options: BootstrapOptions): Promise<Loaded> {
  const { host, stop, watcher } = options;
  const end = host.clock.monotonic() + options.deadlineSeconds * 1000;
  const open: Opener = async (elsewhere, claimed) =>
    'references' in elsewhere
      ? (await import('./sealed/gather.ts')).gatherUserData(host, elsewhere, stop)
      : (await import('./sealed/open.ts')).openUserData(host, elsewhere, claimed);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(options.deadlineSeconds * 1000)]);
  let told = '';
  const setUpNetwork: LoadOptions['setUpNetwork'] = async (settings) => {
    const { applyNetwork } = await import('./network/apply-network.ts');
    const { done, remarks } = await applyNetwork(host, settings, stop);
    for (const line of [`the network is set up: ${done}`, ...remarks])
      watcher.output(`slipway: ${line}`, 'stderr');
  };
  for (let looks = 1; ; looks += 1) {
    const answer = await loadDocument(host, {
      ...options,
      ...{ keepsIncluded: true, open, signal },
      // The network of a machine that works stays as it is; on Windows cloudbase-init's own plug-in sets it up.
      ...(options.isAgain || host.platform === 'windows' ? {} : { setUpNetwork }),
    });
    if (answer.kind === 'document' || stop.aborted) return answer;
    const { waitMs, permanent } = answer;
    const { code, cause } = answer.failure;
    const mayPass = !permanent && (AWAITED.includes(code) || waitMs !== undefined);
    const isAwaited = mayPass && host.clock.monotonic() < end;
    const starting =
      permanent && !RESTS_ON_CLOCK.includes(code) ? undefined : await stillStarting(host, code);
    if (starting === undefined && !isAwaited) return answer;
    if (told !== cause)
      watcher.output(`slipway: ${cause} Looking again${starting ? `: ${starting}` : '.'}`, 'stderr');
    told = cause;
    const pauseMs = waitMs ?? backoffMs(looks, BACKOFF.userData, () => host.random());
    await host.clock.sleep(pauseMs, stop).catch(() => undefined);
  }
}

/** What the source of the user data is owed now. @returns a warning for each thing that could not be done */
async function payDuties(
  { watcher }: Pick<BootstrapOptions, 'watcher'>,
  duties: Duties,
  when: Duties[number]['when'],
): Promise<Entry[]> {
  const failed: Entry[] = [];
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

type Duties = Extract<Loaded, { kind: 'document' }>['duties'];

type About = { mode: 'bootstrap' | 'shim'; agent: string; instance: string };

/**
 * What every way of running the engine shares: one agent at a time, a verdict whatever happens, the verdict
 * on disk.
 *
 * @throws AgentBusyError when another agent holds the machine.
 */
export async function concluding(
  host: Host,
  {
    mode,
    agent,
    fault,
    unwritten,
    isAgain = false,
  }: Omit<About, 'instance'> & VerdictHooks & Pick<BootstrapOptions, 'isAgain'>,
  work: (about: About) => Promise<Outcome>,
): Promise<Outcome> {
  host.processes.nameSelf('slipway');
  const about: About = { mode, agent, instance: 'unknown' };
  let lock: Lock | undefined;
  // What stands in the way before the work begins lies in /run.
  let notWritten: Code = 'OutcomeNotWritten';
  let outcome: Outcome;
  try {
    const answer = await host.lock('agent');
    if ('heldBy' in answer) throw new AgentBusyError(answer.heldBy);
    lock = answer;
    about.instance = await machineInstance(host);
    if (!isAgain) await removeOutcome(host);
    notWritten = 'JournalNotWritten';
    outcome = await Promise.race([work(about), fault]);
  } catch (error) {
    if (error instanceof AgentBusyError) throw error;
    const code = codeOf(error, notWritten);
    const result = code === 'InternalError' ? 'failed' : 'transient';
    outcome = await outcomeWithoutSequence(host, about, result, failure(code, errorMessage(error)));
  }
  outcome = visibleTexts(clean(outcome));
  try {
    // Where nothing was begun, the verdict on what this machine is stands.
    if (!isAgain || outcome.sequence !== '') await writeOutcome(host, outcome);
  } catch (error) {
    const aside = await writeOutcomeAside(host, outcome).then(
      () => `; it lies in ${OUTCOME_ASIDE} instead`,
      () => '',
    );
    const cause = `The verdict is known and could not be written: ${errorMessage(error)}${aside}`;
    unwritten(failure(codeOf(error, 'OutcomeNotWritten'), cause));
  } finally {
    await lock?.release();
  }
  return outcome;
}

export class AgentBusyError extends ExpectedError {
  override readonly name = 'AgentBusyError';

  constructor(pid: number | undefined) {
    super(`Another slipway process${pid === undefined ? '' : ` (pid ${pid})`} is at work on this machine`);
  }
}

/** Runs the document's steps and makes the outcome. Runs nothing if its report has an error. */
export async function runDocument(
  options: Pick<BootstrapOptions, 'host' | 'deadlineSeconds' | 'stop' | 'watcher' | 'askReboot' | 'isAgain'>,
  about: About,
  document: Document,
  toPlan: (document: Document, shared: Shared) => PlannedStep[] | Promise<PlannedStep[]>,
): Promise<Outcome> {
  const { host, watcher } = options;
  // Programs print what they were given, and messages quote it: what is known to be a secret goes nowhere from here.
  remember(await knownSecrets(host, document));
  // What calls kubeadm may stand where something could not be read.
  const isAsked = !options.isAgain && !document.report.some(({ severity }) => severity === 'error');
  const report = [...document.report, ...(isAsked ? checkMakesNode(document) : [])];
  // User data that did their work, and have lost their secrets since, are not judged again.
  if (!document.isWiped)
    report.push(...(await configurationReport(document)), ...(await labelReport(options, document)));
  const errors = report.filter(({ severity }) => severity === 'error');
  const findings = document.report.filter(({ severity }) => severity === 'warning').map(asFinding);
  const refused = (wrong: readonly Entry[]): Promise<Outcome> => {
    const [first, ...others] = wrong as [Entry, ...Entry[]];
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    const lines = others.slice(0, 3).map(placed);
    const badInput = failure(first.code, `${placed(first)}${more}`, { lines });
    return outcomeWithoutSequence(host, about, 'bad-input', badInput, findings);
  };
  if (errors.length > 0) return refused(errors);
  const again = options.isAgain ? await whatHasChanged(options, document) : undefined;
  if (again?.kind === 'refused') return outcomeWithoutSequence(host, about, 'bad-input', again.failure);
  if (again) about.instance = again.instance;
  const shared = openShared(host, document, about.instance, watcher.output.bind(watcher), options.askReboot);
  try {
    const { lacking, planned } = await fitting(host, document, await toPlan(document, shared));
    if (lacking.length > 0) return await refused(lacking);
    const steps = again ? await again.load(shared) : await loadSteps(planned, shared);
    const outcome = await runJournalled({
      ...options,
      about,
      steps: steps.map((step) => hiddenStep(step, redact)),
      digest: planDigest(planned),
      findings,
      isWiped: document.isWiped ?? false,
      ...(again ? { settled: again.settled } : {}),
      commandsDecide: again !== undefined || !planned.some(({ kind }) => kind === 'kubeadm'),
      isStillNode: async () => {
        const command = document.commands.find((entry) => entry.kind === 'kubeadm');
        if (command === undefined) return false;
        const { isStillNode } = await import('./steps/kubeadm/still-node.ts');
        return isStillNode(host, command.verb, shared.call(command), options.stop);
      },
    });
    return again && outcome.result === 'succeeded' ? { ...outcome, message: again.message } : outcome;
  } finally {
    await shared.bootShell.close();
    await shared.scriptShell.close();
    await shared.shell.close();
  }
}

/** Told before anything is done. */
async function whatHasChanged(
  { host, watcher }: Pick<BootstrapOptions, 'host' | 'watcher'>,
  document: Document,
) {
  const { planAgain } = await import('./again/again.ts');
  const again = await planAgain(host, document);
  if (again.kind === 'refused') return again;
  const { againLines } = await import('./again/tell-again.ts');
  const due = again.due.filter(({ kind }) => kind === 'files' || kind === 'tree');
  for (const line of againLines({ ...again, due })) watcher.output(`slipway: ${line}`, 'stderr');
  return again;
}

/** Opens the journal, runs the steps and makes the outcome of it. */
async function runJournalled(
  options: Pick<BootstrapOptions, 'host' | 'deadlineSeconds' | 'stop' | 'watcher'> &
    Pick<SequenceOptions, 'digest' | 'findings' | 'commandsDecide'> & {
      about: About;
      steps: Step[];
      /** The user data have lost their secrets since they did their work. */
      isWiped: boolean;
      /** Steps that are not done again: in the journal before any other begins, so that no later boot does them. */
      settled?: readonly StepOutline[];
      /** Asked where the journal has lost something. */
      isStillNode: () => Promise<boolean>;
    },
): Promise<Outcome> {
  const { host, about, watcher, isStillNode, isWiped, settled, ...given } = options;
  await host.files.mkdir(STATE_DIR, 0o700);
  const journal = await Journal.open(host);
  const sequence = isWiped ? asBefore(given, journal.records, about.instance) : given;
  journal.observe((record) => watcher.record(record));
  try {
    const output = watcher.output.bind(watcher);
    const findings = [...sequence.findings];
    if (journal.lostBytes > 0) {
      const { steps } = sequence;
      // What was under way is not to be taken for done.
      const wasOver = historyOf(journal.records, about.instance).open === undefined;
      const isNode = wasOver && (await isStillNode());
      const message = 'taken for done: the journal was damaged, and the machine is a node';
      if (isNode) await recordDone({ ...about, host, journal, steps, pid: process.pid, message });
      findings.push(damaged(journal.lostBytes, isNode));
    }
    if (settled) {
      const message = 'left as it is: only what has changed is done again';
      await recordDone({ ...about, host, journal, steps: settled, pid: process.pid, message });
    }
    return await outcomeOf(
      host,
      about,
      await runSequence({
        ...sequence,
        ...about,
        findings,
        host,
        journal,
        pid: process.pid,
        uptimeMs: Math.round(1000 * process.uptime()),
        notFinal: (code) => stillStarting(host, code),
        output,
      }),
    );
  } finally {
    await journal.close();
  }
}

function asBefore<T extends Pick<SequenceOptions, 'steps' | 'digest'>>(
  given: T,
  records: readonly JournalRecord[],
  instance: string,
): T {
  const steps = doneBefore(given.steps, records, instance);
  return { ...given, steps, digest: planDigest(steps) };
}

function damaged(bytes: number, isNode: boolean): Omit<Finding, 'type'> {
  const done = isNode ? '; this machine is a node all the same, so nothing was done again' : '';
  const message = `${bytes} bytes of the journal could not be read${done}`;
  return { severity: 'warning', code: 'JournalDamaged', message };
}

type Entry = Document['report'][number];

/** Looks at the machine only if labels ask for it. What a label tells of may come up with its driver. */
async function labelReport(
  { host, stop, watcher }: Pick<BootstrapOptions, 'host' | 'stop' | 'watcher'>,
  document: Document,
): Promise<Entry[]> {
  if ((document.node?.labels ?? []).length === 0) return [];
  const { labelProblems } = await import('./facts/judge/labels-on.ts');
  for (let isTold = false; ; isTold = true) {
    const problems = await labelProblems(host, document);
    const missing = problems.find(({ code }) => code === 'UserDataTemplate');
    const starting = missing && (await stillStarting(host, 'MachineNotAsExpected'));
    if (missing === undefined || starting === undefined || stop.aborted) return problems;
    if (!isTold) watcher.output(`slipway: ${placed(missing)} Looking again: ${starting}`, 'stderr');
    await host.clock.sleep(LOOK_AGAIN_MS, stop).catch(() => undefined);
  }
}

function placed({ where, message }: Entry): string {
  return where ? `user data ${positionText(where)}: ${message}` : message;
}

function asFinding({ code, message, where }: Entry): Omit<Finding, 'type'> {
  return { severity: 'warning', code, message, ...(where ? { where: `${where.line}:${where.column}` } : {}) };
}
