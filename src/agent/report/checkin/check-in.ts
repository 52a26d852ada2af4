import { formatMs } from '../../../kit/duration.ts';
import { ExpectedError, errorMessage, isExpected } from '../../../kit/errors.ts';
import {
  CHECKIN_PATH,
  CHECKIN_VERSION,
  type CheckInReply,
  type CheckInRequest,
  MAX_CHECKIN_BYTES,
  readCheckInReply,
} from '../../../protocol/check-in/check-in.ts';
import type { MachineIdentity } from '../../../protocol/events.ts';
import { readRefusal } from '../../../protocol/secret-release.ts';
import { machineInstance } from '../../engine/instance.ts';
import type { Host } from '../../host/host.ts';
import { ControllerClient } from '../../identity/controller-client.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import type { ControllerSettings } from '../../settings/settings.ts';
import { startReporter } from '../../tools/wake-reporter.ts';
import { readCursor } from '../cursor.ts';
import type { Log } from '../events/log.ts';
import { noteCheckInWish, readCheckInWish } from '../state/asked-check-in.ts';
import { lockUnlessReporting } from '../state/reporter-lock.ts';
import { noteRequest, noteTimer, type RequestOutcome } from '../state/reporting-state.ts';
import { readCheckInState, writeCheckInState } from './check-in-state.ts';
import { tellAgain } from './tell-again.ts';

/** No endpoint holds a check-in longer than this. */
const TIMEOUT_MS = 10_000;
/** A check-in with renewal and every endpoint. */
const WHOLE_MS = 60_000;
/** slipway-checkin.timer's own interval: from four to six minutes. */
const TICK_MS = 300_000;
/** What nobody could use once is told once more after this time. */
const TELL_AGAIN_MS = 3_600_000;
/** Another time, or another endpoint, may do. */
const FOR_NOW = [408, 429, 500, 502, 503, 504];

/** How a check-in ended; `later`: the controller did not answer, or has too much to do. */
type CheckInResult = 'done' | 'later' | 'refused';

interface CheckInOptions {
  readonly host: Host;
  readonly version: string;
  readonly log: Log;
  readonly stop: AbortSignal;
  /** Starts the reporter; default: its unit. @returns why that was not possible, if so */
  readonly startReporter?: () => Promise<string | undefined>;
}

/**
 * Asks the controller whether it lacks something that this machine has told, and has it told again. It says nothing where
 * all is as it should be.
 *
 * @throws HostError where the machine's own files cannot be read or written
 */
export async function checkIn(options: CheckInOptions): Promise<CheckInResult> {
  const { host, log } = options;
  const instance = await machineInstance(host);
  const wish = await readCheckInWish(host, instance);
  const { settings } = await loadSettings(host);
  const { controller, enabled, providerID } = settings;
  if (!wish || !controller || !enabled) {
    log(`no check-in: ${wish ? 'the settings no longer name a controller' : 'no controller requests it'}`);
    // It may be of the machine that this one's image was made of.
    await noteCheckInWish(host, instance, undefined);
    return 'done';
  }
  await noteTimer(host);
  const { answeredAt = Number.NEGATIVE_INFINITY } = await readCheckInState(host, instance);
  const everyMs = wish.everySeconds * 1000;
  if (everyMs > TICK_MS && host.clock.monotonic() - answeredAt < everyMs - TICK_MS / 2) return 'done';
  const lock = await lockUnlessReporting(host);
  // It tells the controller itself.
  if (!lock) return 'done';
  try {
    const hostname = host.hostname() || 'localhost';
    const machine = { instance, hostname, ...(providerID === undefined ? {} : { providerID }) };
    return await new CheckIn(options, controller, machine).run();
  } finally {
    await lock.release();
  }
}

class CheckIn {
  readonly #o: CheckInOptions;
  readonly #machine: MachineIdentity;
  readonly #client: ControllerClient;

  constructor(options: CheckInOptions, settings: ControllerSettings, machine: MachineIdentity) {
    this.#o = options;
    this.#machine = machine;
    const { host, version, log } = options;
    this.#client = new ControllerClient({
      ...{ host, settings, version, log, timeoutMs: TIMEOUT_MS, machine: () => machine },
      isOneShot: true,
    });
  }

  async run(): Promise<CheckInResult> {
    const { host, log, stop } = this.#o;
    const { instance } = this.#machine;
    const told = await readCursor(host, 'controller', true, instance);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(WHOLE_MS)]);
    let reply: CheckInReply | undefined;
    try {
      reply = await this.#client.overEndpoints(signal, () => this.#ask(told, signal));
    } catch (error) {
      if (!isExpected(error)) throw error;
      const isRefusal = error instanceof Refusal && !FOR_NOW.includes(error.status);
      const failure = errorMessage(error);
      log(`the check-in at ${new URL(this.#client.endpoint).host} failed: ${failure}`);
      await this.#note({ failure });
      return isRefusal ? 'refused' : 'later';
    } finally {
      this.#client.close();
    }
    const state = await readCheckInState(host, instance);
    await writeCheckInState(host, { ...state, answeredAt: host.clock.monotonic() });
    await this.#note({ checkIn: { wish: reply?.checkin, isAnswer: true } });
    const trouble = await noteCheckInWish(host, instance, reply?.checkin);
    if (trouble !== undefined) log(`cannot save the check-in interval: ${trouble}`);
    if (!reply?.checkin) log('the controller no longer requests check-ins');
    return reply?.wants === 'events' ? await this.#tellAgain(told) : 'done';
  }

  /** For `slipway status`. */
  #note(outcome: Pick<RequestOutcome, 'failure' | 'checkIn'>): Promise<void> {
    const { endpoint, certifiedUntil } = this.#client;
    return noteRequest(this.#o.host, { endpoint, certifiedUntil, ...outcome });
  }

  /** @returns undefined where the controller knows no check-ins, such as an earlier release of it */
  async #ask(told: number, signal: AbortSignal): Promise<CheckInReply | undefined> {
    const request: CheckInRequest = { version: CHECKIN_VERSION, machine: this.#machine, told: { seq: told } };
    const body = Buffer.from(JSON.stringify(request));
    let answer = await this.#client.post(CHECKIN_PATH, body, signal);
    // With a proof at hand the machine enrols again, and asks as whom it is then.
    if (answer.status === 401) answer = await this.#client.post(CHECKIN_PATH, body, signal);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new Refusal(answer.status, answer.body);
    return readCheckInReply(Buffer.from(answer.body).subarray(0, MAX_CHECKIN_BYTES));
  }

  async #tellAgain(told: number): Promise<CheckInResult> {
    const { host, log } = this.#o;
    const { instance } = this.#machine;
    const state = await readCheckInState(host, instance);
    const now = host.clock.monotonic();
    const { at, seq } = state.toldAgain ?? { at: Number.NEGATIVE_INFINITY, seq: 0 };
    if (seq === told && now - at < TELL_AGAIN_MS) {
      const ago = formatMs(now - at);
      log(`the controller requests events that were resent ${ago} ago; they are resent at most once an hour`);
      return 'done';
    }
    log(`the controller is missing some of the ${told} events that it acknowledged; resending them`);
    // First, so that a machine that cannot do it does not try every five minutes.
    await writeCheckInState(host, { ...state, toldAgain: { at: now, seq: told } });
    await tellAgain(host, instance, told);
    const trouble = await (this.#o.startReporter ?? (() => startReporter(host)))();
    if (trouble === undefined) return 'done';
    log(`the reporter could not be started, so they are resent after the next boot: ${trouble}`);
    return 'refused';
  }
}

/** The controller's answer, if it is no answer to a check-in. */
class Refusal extends ExpectedError {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, body: string) {
    const { words, reason } = readRefusal(body);
    const said = words === undefined ? WORDS[status] : `the controller says: ${words}`;
    const code = reason === undefined ? '' : ` (${reason})`;
    super(`${said ?? `the controller answered with status ${status}`}${code}`);
    this.status = status;
  }
}

const WORDS: Readonly<Record<number, string>> = {
  401: 'the controller no longer knows this machine: its NodeBootstrap was deleted, or its certificate was replaced or has expired',
};
