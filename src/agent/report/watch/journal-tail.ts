import type { JournalRecord } from '../../../protocol/journal.ts';
import { JOURNAL } from '../../document/paths.ts';
import { parseJournal } from '../../engine/parse-journal.ts';
import type { Host } from '../../host/host.ts';

/** More than this is read piece by piece. */
const CHUNK = 1024 * 1024;

/** What has come since the last look. */
interface JournalNews {
  records: JournalRecord[];
  /** Names this journal; another one has another name. Empty while there is no record. */
  id: string;
  /** Another journal took the place of the one before: `records` begin at its beginning. */
  replaced: boolean;
}

/** Reads the journal as it grows. It never waits for the agent and never keeps it from writing. */
export class JournalTail {
  readonly #host: Host;
  #offset = 0;
  #id = '';

  constructor(host: Host) {
    this.#host = host;
  }

  /** @throws HostError when the journal is there and cannot be read */
  async poll(): Promise<JournalNews> {
    const size = (await this.#host.files.stat(JOURNAL))?.size ?? 0;
    const replaced = size < this.#offset;
    if (replaced) {
      this.#offset = 0;
      this.#id = '';
    }
    const records: JournalRecord[] = [];
    while (size > this.#offset) {
      // Room for what there is: a MiB for every record of a few hundred bytes stays with malloc for good.
      const length = Math.min(CHUNK, size - this.#offset);
      const bytes = await this.#host.files.readFrom(JOURNAL, this.#offset, length);
      const { records: found, goodLength } = parseJournal(bytes);
      // What is behind the last line end is still being written, or was torn and will be cut off. No record is as long
      // as a whole piece: that is what a disk made of one, and something may come behind it.
      if (goodLength === 0 && length < CHUNK) break;
      this.#offset += goodLength || length;
      records.push(...found);
    }
    const [first] = records;
    if (this.#id === '' && first) this.#id = `${first.boot} ${first.time}`;
    return { records, id: this.#id, replaced };
  }
}
