import type { CheckInWish } from '../../../protocol/exchange.ts';
import { CHECKIN_FILE, STATE_DIR } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';

/** What the controller wants of this instance; undefined where it wants no check-ins. */
export async function readCheckInWish(host: Host, instance: string): Promise<CheckInWish | undefined> {
  try {
    const bytes = await host.files.readIfPresent(CHECKIN_FILE, 4096);
    const value = bytes && JSON.parse(bytes.toString('utf8'));
    const { everySeconds } = value ?? {};
    return value?.instance === instance && Number.isSafeInteger(everySeconds) ? { everySeconds } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HostError) return undefined;
    throw error;
  }
}

/**
 * Notes what the controller has said of check-ins: with the file, systemd starts the timer, and without it there is none.
 *
 * @returns why that was not possible, if so
 */
export async function noteCheckInWish(
  host: Host,
  instance: string,
  wish: CheckInWish | undefined,
): Promise<string | undefined> {
  try {
    if (!wish) {
      if ((await host.files.stat(CHECKIN_FILE)) !== undefined) await host.files.remove(CHECKIN_FILE);
      return undefined;
    }
    const { everySeconds } = wish;
    if ((await readCheckInWish(host, instance))?.everySeconds === everySeconds) return undefined;
    await host.files.mkdir(STATE_DIR, 0o700);
    await host.files.write(CHECKIN_FILE, `${JSON.stringify({ instance, everySeconds })}\n`, { mode: 0o600 });
    return undefined;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}
