import { parseSeconds } from '../../kit/duration.ts';
import { ExpectedError, UsageError } from '../../kit/errors.ts';
import { Keys, type Material, rotateMaterial } from '../keys/key-ring.ts';
import { type KeyStorage, readExisting } from '../keys/key-storage.ts';
import { SqliteKeyStorage } from '../keys/keys.ts';
import { ACTIVE_AFTER_MS } from '../keys/rotation.ts';
import { authoritySecret, tokenKeySecret } from '../keys/secret-storage.ts';
import { rotateTokenMaterial, type TokenMaterial } from '../keys/token-keys.ts';
import { openSource, type SourceOptions } from './source.ts';

interface CaOptions extends SourceOptions {
  controllerNamespace: string;
  overlap: string;
}

/** @returns 0 */
export async function caCommand(action: 'show' | 'rotate', options: CaOptions): Promise<number> {
  const overlap = parseSeconds(options.overlap);
  if (overlap === undefined || (overlap !== 0 && overlap < 60))
    throw new UsageError(`--overlap: ${options.overlap} is no duration; write 192h, or 0s for none`);
  const { client, database, store } = openSource(options);
  try {
    const place = client
      ? authoritySecret(client, options.controllerNamespace)
      : database && new SqliteKeyStorage(database);
    if (!place) throw new UsageError('neither a cluster nor a database');
    const tokens = client && tokenKeySecret(client, options.controllerNamespace);
    const keys =
      action === 'show' ? new Keys(await readExisting(place)) : await rotate(place, tokens, overlap * 1000);
    process.stdout.write(keys.trusted);
    return 0;
  } finally {
    await store.close();
  }
}

async function rotate(
  place: KeyStorage<Material>,
  tokens: KeyStorage<TokenMaterial> | undefined,
  overlapMs: number,
): Promise<Keys> {
  const before = await readExisting(place);
  const until = before.previous?.until ?? 0;
  if (until > Date.now() && overlapMs > 0) {
    throw new ExpectedError(
      `the rotation before counts until ${time(until)}; wait for its end, or end it with --overlap 0s, which shuts out all machines that know the present authorities only`,
    );
  }
  // First the tokens: where this command ends in between, the next one goes on.
  if (tokens) await rotateTokens(tokens, overlapMs);
  const next = rotateMaterial(before, overlapMs);
  if (!(await place.write(next))) throw overtaken();
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

async function rotateTokens(place: KeyStorage<TokenMaterial>, overlapMs: number): Promise<void> {
  const before = await readExisting(place);
  const isUnderWay = (before.previous?.until ?? 0) > Date.now();
  if (isUnderWay && overlapMs > 0) return;
  if (!(await place.write(rotateTokenMaterial(before, overlapMs)))) throw overtaken();
}

function overtaken(): ExpectedError {
  return new ExpectedError('somebody else changed the authority at this moment; look at it, and try again');
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
