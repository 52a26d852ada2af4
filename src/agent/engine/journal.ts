import {
  JOURNAL_VERSION,
  type JournalRecord,
  type RecordBody,
  type RecordHead,
} from '../../protocol/journal.ts';
import { presentableTexts } from '../../secrets/redact-texts.ts';
import { JOURNAL } from '../document/paths.ts';
import type { AppendHandle } from '../host/files.ts';
import type { Host } from '../host/host.ts';
import { MAX_JOURNAL_BYTES, parseJournal } from './parse-journal.ts';

/** Words, numbers and digests of Slipway's own. */
const OWN: ReadonlySet<string> = new Set([
  ...['type', 'run', 'sequence', 'digest', 'mode', 'agent', 'result'],
  ...['machine', 'uuid', 'seed'],
]);

/**
 * The journal, open for appending. `records` holds what stood in it before. An append is on disk when it
 * resolves, unless its caller says that another one follows at once, whose sync takes it along.
 *
 * A last line that a power loss tore is cut off, and that is noted in the journal itself.
 */
export class Journal {
  readonly records: JournalRecord[];
  /**
   * Bytes of records that were lost, if that is news. A torn end is none: nothing had come of that record
   * yet.
   */
  readonly lostBytes: number;
  readonly #host: Host;
  readonly #handle: AppendHandle;
  readonly #boot: string;
  #seq: number;
  #length: number;
  #last: Promise<unknown> = Promise.resolve();
  #observer: (record: JournalRecord) => void = () => undefined;

  private constructor(
    host: Host,
    handle: AppendHandle,
    boot: string,
    records: JournalRecord[],
    length: number,
    lostBytes: number,
  ) {
    this.#host = host;
    this.#handle = handle;
    this.#boot = boot;
    this.records = records;
    this.#seq = records.at(-1)?.seq ?? 0;
    this.#length = length;
    this.lostBytes = lostBytes;
  }

  /** @throws HostError when the journal cannot be read or written (ENOSPC, EROFS ...). */
  static async open(host: Host): Promise<Journal> {
    const bytes = (await host.files.readIfPresent(JOURNAL, MAX_JOURNAL_BYTES)) ?? Buffer.alloc(0);
    const { records, goodLength, badBytes } = parseJournal(bytes);
    const tornBytes = bytes.length - goodLength;
    // A power loss may tear the very first record too; then the file is the beginning of one.
    const isTorn = records.length > 0 || beginsFirstRecord(bytes.subarray(goodLength));
    const lostBytes = isTorn ? badBytes - tornBytes : badBytes;
    const handle = await host.files.openAppend(JOURNAL, 0o600);
    if (goodLength < bytes.length) await handle.truncate(goodLength);
    const journal = new Journal(host, handle, await host.bootId(), records, goodLength, lostBytes);
    if (badBytes > 0) await journal.append({ type: 'journal.repaired', bytes: badBytes });
    return journal;
  }

  /** Called with every record after it is written. */
  observe(observer: (record: JournalRecord) => void): void {
    this.#observer = observer;
  }

  /**
   * @param sync `with-next` if the agent does nothing on the machine before the next record, or nothing that it may not do
   *   twice: a power loss may then take this record, the agent's own death cannot.
   * @throws HostError if the record is not on disk; nothing of it stays in the file then.
   */
  append(body: RecordBody, sync: 'now' | 'with-next' = 'now'): Promise<JournalRecord> {
    // Progress and heartbeats come while another record is under way; each gets its number in its turn.
    const turn = this.#last.then(() => this.#write(body, sync === 'now'));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write(body: RecordBody, durable: boolean): Promise<JournalRecord> {
    const head: RecordHead = {
      v: JOURNAL_VERSION,
      seq: this.#seq + 1,
      time: this.#host.clock.now().toISOString(),
      mono: this.#host.clock.monotonic(),
      boot: this.#boot,
    };
    const record: JournalRecord = { ...head, ...presentableTexts(body, OWN) };
    const line = `${JSON.stringify(record)}\n`;
    try {
      await this.#handle.append(line, durable);
    } catch (error) {
      // A full disk takes part of a line: cut it off again so that the next record starts on a line of its
      // own.
      await this.#handle.truncate(this.#length);
      throw error;
    }
    this.#seq = record.seq;
    this.#length += Buffer.byteLength(line);
    this.records.push(record);
    this.#observer(record);
    return record;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#handle.close();
  }
}

/** How every journal begins. */
const FIRST = `{"v":${JOURNAL_VERSION},"seq":1,"time":"`;

/** The beginning of a journal's first record; blocks that were not written are read as zeros. */
function beginsFirstRecord(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  const text = bytes.toString('latin1', 0, end);
  return text.startsWith(FIRST) || FIRST.startsWith(text);
}
