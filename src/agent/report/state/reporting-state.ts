import { visible } from '../../../kit/terminal/visible.ts';
import type { CheckInWish } from '../../../protocol/exchange.ts';
import { redact } from '../../../secrets/redact.ts';
import { RUN_DIR } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';

/** Readable by everybody, for `slipway status`; it holds no secret. */
const FILE = `${RUN_DIR}/reporting.json`;
const MOST = 500;

/** How reporting to the controller goes, in this boot. Times are ISO 8601, by this machine's clock. */
export interface ReportingState {
  /** URL of the endpoint that was asked last. */
  endpoint: string;
  /** The last event that the controller has stored, and when it said so. */
  acknowledged?: { seq: number; at: string };
  /** Why the last attempt failed, and since when that is so; absent: it did not. */
  trouble?: { message: string; since: string };
  /** Until when the machine's certificate is valid, by the controller's clock. */
  certifiedUntil?: string;
  /** Absent: the controller wants none. */
  checkIn?: CheckInWish & {
    answeredAt?: string;
    /** When the timer has run last, whatever came of it. */
    triedAt?: string;
  };
}

/** Undefined where nobody has reported to a controller in this boot, or the file is damaged. */
export async function readReportingState(host: Host): Promise<ReportingState | undefined> {
  try {
    const bytes = await host.files.readIfPresent(FILE, 16_384);
    const value = bytes && JSON.parse(bytes.toString('utf8'));
    return typeof value?.endpoint === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HostError) return undefined;
    throw error;
  }
}

/** What a request to the controller came to. */
export interface RequestOutcome {
  readonly endpoint: string;
  readonly certifiedUntil: number | undefined;
  /** The highest number that is acknowledged now. */
  readonly seq?: number;
  readonly failure?: string;
  /** What the answer says of check-ins; undefined: nothing was answered. */
  readonly checkIn?: { wish: CheckInWish | undefined; isAnswer: boolean };
}

/** Notes it. Nothing depends on the file: where it cannot be written, status knows less. */
export async function noteRequest(host: Host, outcome: RequestOutcome): Promise<void> {
  const before = await readReportingState(host);
  const now = host.clock.now().toISOString();
  const after = stateAfter(before, outcome, now);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await write(host, after);
}

/** Notes that the timer runs. */
export async function noteTimer(host: Host): Promise<void> {
  const state = await readReportingState(host);
  if (!state?.checkIn) return;
  const checkIn = { ...state.checkIn, triedAt: host.clock.now().toISOString() };
  await write(host, { ...state, checkIn });
}

async function write(host: Host, state: ReportingState): Promise<void> {
  try {
    await host.files.write(FILE, `${JSON.stringify(state)}\n`, { mode: 0o644 });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

function stateAfter(
  before: ReportingState | undefined,
  { endpoint, certifiedUntil, seq, failure, checkIn }: RequestOutcome,
  now: string,
): ReportingState {
  const message = failure === undefined ? undefined : visible(redact(failure)).slice(0, MOST);
  const acknowledged = seq === undefined ? before?.acknowledged : { seq, at: now };
  const wish = checkIn ? checkIn.wish : before?.checkIn;
  const { answeredAt, triedAt } = before?.checkIn ?? {};
  const answered = checkIn?.isAnswer ? now : answeredAt;
  return {
    endpoint: new URL(endpoint).origin,
    ...(acknowledged ? { acknowledged } : {}),
    ...(message === undefined ? {} : { trouble: { message, since: before?.trouble?.since ?? now } }),
    ...(certifiedUntil === undefined ? {} : { certifiedUntil: new Date(certifiedUntil).toISOString() }),
    ...(wish
      ? {
          checkIn: {
            everySeconds: wish.everySeconds,
            ...(answered === undefined ? {} : { answeredAt: answered }),
            ...(triedAt === undefined ? {} : { triedAt }),
          },
        }
      : {}),
  };
}
