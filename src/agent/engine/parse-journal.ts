import type { JournalRecord } from '../../protocol/journal.ts';
import { readRecord } from '../../protocol/read-journal.ts';
import { JOURNAL } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

/** A larger journal is damaged. */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

interface ParsedJournal {
  records: JournalRecord[];
  /** Bytes up to the end of the last whole line. */
  goodLength: number;
  /** Bytes that were not readable: a torn end, or damaged lines that are passed over. */
  badBytes: number;
}

/**
 * Reads a journal's bytes; never throws. Damaged lines in the middle are passed over, unknown record types
 * kept.
 */
export function parseJournal(bytes: Buffer): ParsedJournal {
  const goodLength = bytes.lastIndexOf(0x0a) + 1;
  const records: JournalRecord[] = [];
  let badBytes = bytes.length - goodLength;
  for (const line of bytes.subarray(0, goodLength).toString('utf8').split('\n')) {
    if (line === '') continue;
    const record = parseLine(line);
    if (record && record.seq > (records.at(-1)?.seq ?? 0)) records.push(record);
    else badBytes += Buffer.byteLength(line) + 1;
  }
  // What was passed over once was told once; only a torn end is news at every opening, since it is cut off
  // then.
  const told = records.reduce(
    (sum, record) => sum + (record.type === 'journal.repaired' ? record.bytes : 0),
    0,
  );
  return { records, goodLength, badBytes: Math.max(0, badBytes - told) };
}

/** The journal's records. @throws HostError if it cannot be read */
export async function recordsOf(host: Host): Promise<readonly JournalRecord[]> {
  const bytes = await host.files.readIfPresent(JOURNAL, MAX_JOURNAL_BYTES);
  return parseJournal(bytes ?? Buffer.alloc(0)).records;
}

function parseLine(line: string): JournalRecord | undefined {
  // A mebibyte of something else must not cost as many exceptions as it has lines.
  if (!line.startsWith('{') || !line.endsWith('}')) return undefined;
  try {
    return readRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
