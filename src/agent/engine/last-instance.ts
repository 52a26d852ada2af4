import { digest } from '../../kit/digest.ts';
import type { JournalRecord, Noted } from '../../protocol/journal.ts';
import { INSTANCE_NOTE } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import { machineInstance } from './instance.ts';
import { recordsOf } from './parse-journal.ts';

const MOST_BYTES = 4096;

interface Note {
  instance?: unknown;
  machine?: unknown;
  uuid?: unknown;
  seed?: unknown;
  /** The last record of the journal by then; absent in the note of an older release. */
  after?: unknown;
}

/** What is noted of user data that came on a volume. */
export function seedDigest(userData: Uint8Array): string {
  return digest(userData);
}

/**
 * What a bootstrap that succeeds notes in the journal, for boots at which its source does not say which instance this is.
 *
 * @param records what the journal holds by then
 * @param seed `seedDigest` user data that came on a volume; null where they came from elsewhere; undefined where that says nothing of what
 * the next boot finds
 * @returns undefined where the machine cannot be asked; nothing of the success rests on it
 */
export async function successNote(
  host: Host,
  records: readonly JournalRecord[],
  seed?: string | null,
): Promise<Noted | undefined> {
  try {
    return await whatToNote(host, await noteBefore(host, records), seed);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return undefined;
  }
}

/** Notes the same beside the journal, where a success has left no record there: there was nothing to do. */
export async function writeNoteBesideJournal(
  host: Host,
  instance: string,
  seed?: string | null,
): Promise<void> {
  try {
    const records = await recordsOf(host);
    const before = await noteBefore(host, records);
    const noted = await whatToNote(host, before, seed);
    const { after: _, ...known } = before;
    if (JSON.stringify(known) === JSON.stringify({ instance, ...noted })) return;
    const note = { version: 2, after: records.at(-1)?.seq ?? 0, instance, ...noted };
    await host.files.write(INSTANCE_NOTE, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

/** Removes what was noted beside the journal, which tells it by now. */
export async function removeNoteBesideJournal(host: Host): Promise<void> {
  try {
    await host.files.remove(INSTANCE_NOTE);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

/**
 * The instance that this machine was bootstrapped for, as far as it can tell by itself. A note that came with an image does not
 * count, nor does one that came with the copy of a disk: then nobody knows, and the firmware's name stands for the machine.
 */
export async function lastInstance(host: Host): Promise<string> {
  const { instance, machine, uuid } = await readNote(host);
  const isOwn = typeof machine === 'string' && machine === (await host.machineId());
  const now = await machineUuid(host);
  if (isOwn && typeof uuid === 'string' && now !== undefined && isAnotherMachine(uuid, now)) return now;
  return isOwn && typeof instance === 'string' ? instance : machineInstance(host);
}

/** The seed that was noted on this machine, or null; undefined where nobody knows. */
export async function notedSeed(host: Host): Promise<string | null | undefined> {
  const { machine, seed } = await readNote(host);
  const isOwn = typeof machine === 'string' && machine === (await host.machineId());
  return isOwn && (seed === null || typeof seed === 'string') ? seed : undefined;
}

async function whatToNote(host: Host, before: Note, seed: string | null | undefined): Promise<Noted> {
  const machine = await host.machineId();
  // Where nothing is shown now, what was shown before stands.
  const uuid = (await machineUuid(host)) ?? (before.machine === machine ? before.uuid : undefined);
  const seen = seed === undefined ? before.seed : seed;
  return {
    ...(machine === undefined ? {} : { machine }),
    ...(typeof uuid === 'string' ? { uuid } : {}),
    ...(seen === null || typeof seen === 'string' ? { seed: seen } : {}),
  };
}

/** An agent that cannot read the journal knows of no success. */
async function readNote(host: Host): Promise<Note> {
  return noteBefore(host, await recordsOf(host).catch(() => []));
}

/**
 * The last that was noted, in the journal or beside it. What lies beside it was noted since: with a success in the journal it is removed, so that an older
 * release, which notes there alone, is believed as well.
 */
async function noteBefore(host: Host, records: readonly JournalRecord[]): Promise<Note> {
  const beside = await noteBeside(host);
  const instances = new Map<string, string>();
  let last: { seq: number; note: Note } | undefined;
  for (const record of records) {
    if (record.type === 'run.started') instances.set(record.run, record.instance);
    else if (record.type === 'sequence.ended' && record.noted)
      last = { seq: record.seq, note: { instance: instances.get(record.run), ...record.noted } };
  }
  if (last === undefined) return beside ?? {};
  // The agent was killed before it removed it.
  const isOlder = typeof beside?.after === 'number' && beside.after < last.seq;
  return beside === undefined || isOlder ? last.note : beside;
}

/** Undefined where none is there, or none that can be read. */
async function noteBeside(host: Host): Promise<Note | undefined> {
  const bytes = await host.files.readIfPresent(INSTANCE_NOTE, MOST_BYTES).catch(() => undefined);
  if (bytes === undefined) return undefined;
  try {
    const { version: _, ...note } = Object(JSON.parse(bytes.toString('utf8')));
    return note;
  } catch {
    return undefined;
  }
}

const FILE = '/sys/class/dmi/id/product_uuid';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What boards say that nobody has given a UUID: the same digit everywhere, or one of the makers' fillers. */
const OF_NOBODY =
  /^(?:([0-9a-f])(?:\1|-)*|03000200-0400-0500-0006-000700080009|12345678-1234-.*|fefefefe-fefe-.*)$/;

/** The UUID that firmware or hypervisor gave this machine, in small letters; undefined where it has none of its own. */
async function machineUuid(host: Host): Promise<string | undefined> {
  const bytes = await host.files.readIfPresent(FILE, 4096).catch((error: unknown) => {
    if (error instanceof HostError) return undefined;
    throw error;
  });
  const uuid = bytes?.toString('latin1').trim().toLowerCase() ?? '';
  return UUID.test(uuid) && !OF_NOBODY.test(uuid) ? uuid : undefined;
}

/** The first three fields have no agreed byte order: another firmware, or kernel, shows the same UUID the other way round. */
function isAnotherMachine(before: string, now: string): boolean {
  return now !== before && now !== otherWayRound(before);
}

function otherWayRound(uuid: string): string {
  const [first = '', second = '', third = '', ...others] = uuid.split('-');
  const turned = [first, second, third].map((field) => Buffer.from(field, 'hex').reverse().toString('hex'));
  return [...turned, ...others].join('-');
}
