import { codes } from '../../../../protocol/codes/codes.ts';
import type { EventBody, EventFailure, EventStep } from '../../../../protocol/events.ts';
import type { KubeadmProcess } from '../../../callers/kubeadm-process.ts';
import { runningInvocation, type UnitState, unitOutput, unitState } from '../../../callers/systemd-unit.ts';
import { SENTINEL } from '../../../document/paths.ts';
import type { Host } from '../../../host/host.ts';
import { kubeadmFailure } from './kubeadm-failure.ts';
import { KUBEADM, type Observation, ObservedSequence } from './observed-sequence.ts';

/** What Cluster API's Ignition configurations bring (bootstrap/kubeadm/pkg/ignition/clc): a unit that runs a script once. */
const UNIT = 'kubeadm.service';
const UNIT_FILE = `/etc/systemd/system/${UNIT}`;
const SCRIPT = '/etc/kubeadm.sh';
/** The unit's condition: the script moves it away when kubeadm has succeeded. */
const CONFIG = '/etc/kubeadm.yml';

const STEP: EventStep = { id: UNIT, title: UNIT };
/** The watch asks systemd when a run of the unit begins or ends; and this often, for runs that are shorter than a look. */
const ASK_EVERY_MS = 3000;

/** One run of the unit. */
interface Attempt {
  invocation: string;
  number: number;
  startedAt: number;
}

/** Has this machine been set up by Cluster API's Ignition configuration? */
export async function isIgnitionBoot(host: Host): Promise<boolean> {
  if (!(await host.files.stat(UNIT_FILE))) return false;
  return ((await host.files.readIfPresent(UNIT_FILE, 65_536))?.toString('utf8') ?? '').includes(SCRIPT);
}

/** Will its unit run with the next boot too? It does until kubeadm has succeeded. */
export async function isIgnitionPending(host: Host): Promise<boolean> {
  return (await isIgnitionBoot(host)) && (await host.files.stat(CONFIG)) !== undefined;
}

/**
 * Watches a boot in which the unit `kubeadm.service` of an Ignition configuration runs kubeadm. Its sequence has the
 * steps `kubeadm.service` and `kubeadm`; the sentinel is its success, the unit's end without one its failure. A unit that
 * systemd starts again (a drop-in with `Restart=`) has several attempts.
 */
export class IgnitionBoot {
  readonly #host: Host;
  readonly #sequence: ObservedSequence;
  #link: string | undefined;
  #askAt = 0;
  #state: UnitState | undefined;
  #attempt: Attempt | undefined;
  #startedAt: number;
  /** What the reporter has told of the attempt's end: that it failed and another follows, or everything. */
  #toldOfAttempt: 'nothing' | 'failure' | 'end' = 'nothing';
  #failedState: UnitState | undefined;
  /** What an earlier look saw and could not tell because of an error. */
  readonly #untold: Observation[] = [];
  /** It has failed for good. */
  #isOver = false;
  /** Nothing more will happen by itself. */
  #isSettled = false;

  constructor(host: Host, boot: string, expectsSlipway: boolean) {
    this.#host = host;
    this.#sequence = new ObservedSequence(host, boot, STEP, expectsSlipway);
    this.#startedAt = host.clock.monotonic();
  }

  /** The unit is at work, or systemd will start it again. */
  get isUnderWay(): boolean {
    return !this.#isOver && this.#attempt !== undefined;
  }

  /** The unit has ended, and the machine is no node. */
  get hasFailed(): boolean {
    return this.#isOver;
  }

  /** What there is to tell since the last look. @param sentinel Cluster API's sentinel is there */
  async look(sentinel: boolean): Promise<Observation[]> {
    await this.#ask();
    // The sentinel comes before the unit's end. So look again now, after that end was read.
    const isDone = sentinel || (await this.#host.files.stat(SENTINEL)) !== undefined;
    const untold = this.#untold;
    untold.push(...(await this.#newAttempt(isDone)));
    if (this.#attempt) untold.push(...(await this.#sequence.lookAtKubeadm(this.#attempt.number)));
    if (isDone) untold.push(this.#begin(), this.#sequence.succeeded(this.#elapsed(), this.#attempt?.number));
    untold.push(...(await this.#end(isDone)));
    return untold.splice(0);
  }

  /** systemd, when something has changed. */
  async #ask(): Promise<void> {
    const now = this.#host.clock.monotonic();
    const link = await runningInvocation(this.#host, UNIT);
    if (link === this.#link && (this.#isSettled || now < this.#askAt)) return;
    const state = await unitState(this.#host, UNIT);
    // Without an answer, the next look asks again.
    if (!state) return;
    this.#state = state;
    this.#link = link;
    this.#askAt = now + ASK_EVERY_MS;
  }

  async #newAttempt(isDone: boolean): Promise<Observation[]> {
    const { invocation = '', restarts = 0, startedAt = 0 } = this.#state ?? {};
    const before = this.#attempt;
    if (invocation === '' || invocation === before?.invocation) return [];
    const told: Observation[] = [];
    // systemd started it again between two looks. Its output tells how it ended; its exit status is lost.
    if (before && this.#toldOfAttempt === 'nothing' && !isDone)
      told.push(await this.#failedAttempt(before, undefined));
    const number = Math.max(restarts, before?.number ?? 0) + 1;
    this.#attempt = { invocation, number, startedAt: startedAt || this.#host.clock.monotonic() };
    if (!before) this.#startedAt = this.#attempt.startedAt;
    told.push(this.#begin());
    // It had failed for good, and a person has started it again.
    if (this.#isOver) told.push(this.#sequence.once(`begin:${invocation}`, [this.#sequence.begin(true)]));
    told.push(this.#sequence.once(`unit:${invocation}`, [this.#sequence.started(STEP, number)]));
    this.#isOver = this.#isSettled = false;
    this.#toldOfAttempt = 'nothing';
    this.#sequence.forgetKubeadm();
    return told;
  }

  async #end(isDone: boolean): Promise<Observation[]> {
    const [attempt, state, before] = [this.#attempt, this.#state, this.#toldOfAttempt];
    if (!attempt || !state || before === 'end') return [];
    const isAgain = state.sub.includes('auto-restart');
    const hasFailed = isAgain || state.active === 'failed';
    // systemd unloads a unit that ended well, and its invocation with it, unless the unit counts as active still.
    const isOver = state.active === 'inactive' || (state.active === 'active' && state.sub === 'exited');
    if ((!hasFailed && !isOver) || (isAgain && before === 'failure')) return [];
    const told: Observation[] = [];
    if (isDone && hasFailed) told.push(await this.#failedAfterwards(attempt, state));
    else if (!isDone && isAgain) told.push(await this.#failedAttempt(attempt, state));
    else if (!isDone) {
      // The other attempt does not come: systemd has had enough of them, or somebody stopped the unit.
      const failed = hasFailed ? state : before === 'failure' ? this.#failedState : undefined;
      told.push(this.#begin(), await this.#failedForGood(attempt, failed));
      this.#isOver = true;
    }
    this.#failedState = state;
    this.#toldOfAttempt = isAgain && !isDone ? 'failure' : 'end';
    this.#isSettled = this.#toldOfAttempt === 'end';
    return told;
  }

  #begin(): Observation {
    return this.#sequence.once('begin', [this.#sequence.begin(false)]);
  }

  async #failedAttempt(attempt: Attempt, state: UnitState | undefined): Promise<Observation> {
    const { step, failure } = await this.#why(attempt, state);
    const now = this.#host.clock.monotonic();
    const endedAt = state?.endedAt || now;
    return this.#sequence.once(`failed:${attempt.invocation}`, [
      {
        type: 'step.attempt',
        sequence: this.#sequence.id,
        step,
        attempt: attempt.number,
        ms: whole(endedAt - attempt.startedAt),
        failure,
        retryInMs: state ? whole(endedAt + state.restartMs - now) : 0,
      },
    ]);
  }

  /** @param state undefined where the unit has ended well, and all the same nothing was bootstrapped */
  async #failedForGood(attempt: Attempt, state: UnitState | undefined): Promise<Observation> {
    const { step, failure } = state ? await this.#why(attempt, state) : { step: STEP, failure: NOT_RUN };
    const ms = whole((state?.endedAt || this.#host.clock.monotonic()) - attempt.startedAt);
    const head = { sequence: this.#sequence.id, attempt: attempt.number, result: 'failed', ms } as const;
    const ended: EventBody[] = [{ type: 'step.ended', ...head, step, failure }];
    // Its failure is kubeadm's, which was told already.
    if (step !== STEP) ended.push({ type: 'step.ended', ...head, step: STEP, message: 'kubeadm failed' });
    return this.#sequence.failed(`end:${attempt.invocation}`, ended, step, failure, this.#elapsed());
  }

  /** The machine is a node; the commands after kubeadm were not all run. */
  async #failedAfterwards(attempt: Attempt, state: UnitState): Promise<Observation> {
    const last = lastLines(await unitOutput(this.#host, { unit: UNIT, ...attempt }), 1).join('');
    const message = `${UNIT} failed after kubeadm had succeeded (${describeEnd(state)}); the commands after it did not run.${last && ` Its last line: ${last}`}`;
    return this.#sequence.once(`after:${attempt.invocation}`, [
      { type: 'finding', severity: 'warning', code: 'CommandFailed', message },
    ]);
  }

  async #why(
    attempt: Attempt,
    state: UnitState | undefined,
  ): Promise<{ step: EventStep; failure: EventFailure }> {
    const output = await unitOutput(this.#host, { unit: UNIT, ...attempt });
    const { verb: seen } = this.#sequence;
    const exitStatus = state && exitStatusOf(state);
    const kubeadm = kubeadmFailure(output, { seen, meant: await this.#meant(), exitStatus });
    const violence = state && violenceOf(state);
    if (kubeadm) {
      return { step: KUBEADM, failure: violence ? { ...kubeadm, ...violence } : kubeadm };
    }
    const { fix: remedy } = codes().CommandFailed;
    const how = state ? describeEnd(state) : 'systemd started it again';
    const cause = `${UNIT} failed (${how}), and kubeadm was not seen to run: a command before it in ${SCRIPT} failed.`;
    const failure: EventFailure = { code: 'CommandFailed', cause, remedy };
    if (state?.end?.how === 'exited') failure.exitStatus = state.end.status;
    const lines = lastLines(output, 3);
    if (lines.length > 0) failure.lines = lines;
    return { step: STEP, failure };
  }

  /** What kubeadm is to do, by the script. */
  async #meant(): Promise<KubeadmProcess['verb'] | undefined> {
    const size = (await this.#host.files.stat(SCRIPT))?.size ?? 0;
    const script = size === 0 ? '' : (await this.#host.files.readFrom(SCRIPT, 0, size)).toString('utf8');
    const verb = /^[^\S\n]*kubeadm (init|join) /m.exec(script)?.[1];
    return verb === 'init' || verb === 'join' ? verb : undefined;
  }

  #elapsed(): number {
    return whole(this.#host.clock.monotonic() - this.#startedAt);
  }
}

const NOT_RUN: EventFailure = {
  code: 'BootstrapNotRun',
  cause: `${UNIT} ended without an error but also without Cluster API's sentinel: kubeadm did not bootstrap this machine.`,
  remedy: `Read journalctl -u ${UNIT} and ${SCRIPT}: it must run kubeadm and write ${SENTINEL}.`,
};

/** As a shell counts it: 128 plus the signal's number if a signal ended it. */
function exitStatusOf({ end, result }: UnitState): number | undefined {
  if (result === 'oom-kill') return 137;
  return end && (end.how === 'exited' ? end.status : 128 + end.status);
}

/** The cause that systemd knows and that kubeadm could not print. */
function violenceOf({ result }: UnitState): Pick<EventFailure, 'code' | 'cause'> | undefined {
  const cause = {
    'oom-kill': `The kernel killed a process of ${UNIT} because the machine ran out of memory.`,
    timeout: `systemd stopped ${UNIT} because it took longer than its TimeoutStartSec.`,
  }[result];
  return cause === undefined ? undefined : { code: 'KubeadmInterrupted', cause };
}

function describeEnd({ end, result }: UnitState): string {
  if (!end) return result;
  return end.how === 'exited' ? `status ${end.status}` : `signal ${end.status}`;
}

function lastLines(output: string, count: number): string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-count);
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}
