import { RUN_DIR } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';

/** In memory: a check-in writes nothing to a disk, and after a boot it begins anew. */
const FILE = `${RUN_DIR}/report/checkin.json`;

/** What check-ins have done in this boot; times are milliseconds since it. */
interface CheckInState {
  instance: string;
  /** When the controller has answered the last one. */
  answeredAt?: number;
  /** When events were told again, and how many the controller had once acknowledged. */
  toldAgain?: { at: number; seq: number };
}

/** Without times where it is damaged, or of another instance. */
export async function readCheckInState(host: Host, instance: string): Promise<CheckInState> {
  try {
    const bytes = await host.files.readIfPresent(FILE, 4096);
    const value = bytes && JSON.parse(bytes.toString('utf8'));
    if (value?.instance !== instance) return { instance };
    const { answeredAt, toldAgain } = value;
    return {
      instance,
      ...(Number.isFinite(answeredAt) ? { answeredAt } : {}),
      ...(Number.isFinite(toldAgain?.at) && Number.isSafeInteger(toldAgain.seq) ? { toldAgain } : {}),
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HostError) return { instance };
    throw error;
  }
}

/** @throws HostError */
export async function writeCheckInState(host: Host, state: CheckInState): Promise<void> {
  await host.files.write(FILE, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
