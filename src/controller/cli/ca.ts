import { parseSeconds } from '../../kit/duration.ts';
import { ExpectedError } from '../../kit/errors.ts';
import { ACTIVE_AFTER_MS, Keys, rotated } from '../serve/key-ring.ts';
import { type KeyPlace, KeySecret, KeySetting } from '../serve/keys.ts';
import { openSource, type SourceOptions } from './source.ts';
import { UsageError } from './usage-error.ts';

export interface CaOptions extends SourceOptions {
  controllerNamespace: string;
  overlap: string;
}

/** @returns 0 */
export async function caCommand(action: string, options: CaOptions): Promise<number> {
  if (action !== 'show' && action !== 'rotate')
    throw new UsageError(`ca ${action}: there are show and rotate`);
  const overlap = parseSeconds(options.overlap);
  if (overlap === undefined || (overlap !== 0 && overlap < 60))
    throw new UsageError(`--overlap: ${options.overlap} is no duration; write 192h, or 0s for none`);
  const { client, database, store } = openSource(options);
  try {
    const place = client
      ? new KeySecret(client, options.controllerNamespace)
      : database && new KeySetting(database);
    if (!place) throw new UsageError('neither a cluster nor a database');
    const keys = action === 'show' ? await present(place) : await rotate(place, overlap * 1000);
    process.stdout.write(keys.trusted);
    return 0;
  } finally {
    await store.close();
  }
}

async function present(place: KeyPlace): Promise<Keys> {
  return new Keys(await material(place));
}

async function material(place: KeyPlace) {
  const found = await place.read();
  if (found) return found;
  throw new ExpectedError('there is no authority yet; the controller makes it when it starts');
}

async function rotate(place: KeyPlace, overlapMs: number): Promise<Keys> {
  const before = await material(place);
  const until = before.previous?.until ?? 0;
  if (until > Date.now() && overlapMs > 0) {
    throw new ExpectedError(
      `the rotation before counts until ${time(until)}; wait for its end, or end it with --overlap 0s, which shuts out all machines that know the present authorities only`,
    );
  }
  const next = rotated(before, overlapMs);
  if (!(await place.write(next))) {
    throw new ExpectedError('somebody else changed the authority at this moment; look at it, and try again');
  }
  const say = (text: string): void => void process.stderr.write(`slipway-controller: ${text}\n`);
  if (next.previous) {
    say(`the new authority and the new token key sign from ${time(next.activeFrom ?? 0)} on`);
    say(`the old ones count beside them until ${time(next.previous.until)}`);
    say('put what is printed here into report.controller.ca of new machines before that');
  } else {
    say(
      `within ${ACTIVE_AFTER_MS / 1000} s the old authority and its certificates and tokens count no longer`,
    );
  }
  return new Keys(next);
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
