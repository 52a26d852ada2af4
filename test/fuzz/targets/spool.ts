import { REPORT_DIR } from '../../../src/agent/document/paths.ts';
import { readCursor } from '../../../src/agent/report/cursor.ts';
import { Spool } from '../../../src/agent/report/spool/spool.ts';
import { SPOOL, UNSAVED } from '../../../src/agent/report/spool/spool-file.ts';
import { jsonLines, texts } from '../corpus.ts';
import { type MemoryHost, memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';
import { EVENTS } from './events.ts';

const open = (host: MemoryHost) => Spool.open(host, () => ({ instance: 'i-1', hostname: 'node-1' }));
const SOURCE = [
  { base: { instance: 'i-1', seq: 3, journal: { id: 'j', seq: 3 } } },
  ...EVENTS.map((event, index) => ({
    events: [event],
    journal: { id: 'j', seq: index + 4 },
    key: `k${index}`,
  })),
];

/** What the reporter had not delivered when the machine went down. */
export const spool: Target = {
  name: 'spool',
  dictionary: ['\n', '"events":', '"base":', '"journal":', '"key":', 'instance', 'i-1', 'i-2', 'seq'],
  corpus: () => [
    jsonLines(...SOURCE),
    jsonLines(...SOURCE.slice(1)),
    jsonLines(...SOURCE.slice(0, 2)),
    ...texts('{"seq":3,"instance":"i-1"}\n'),
  ],
  run: async (bytes) => {
    const host = memoryHost({
      [SPOOL]: bytes,
      [UNSAVED]: bytes.subarray(0, 2_000),
      [`${REPORT_DIR}/a.cursor`]: bytes,
    });
    const cursor = await readCursor(host, 'a', true, 'i-1');
    must(Number.isSafeInteger(cursor), 'a cursor is a number');
    const first = await open(host);
    const found = {
      events: first.after(0, 10_000),
      last: first.lastSeq,
      told: first.told('j'),
      has: first.has('k1'),
    };
    must(Number.isSafeInteger(first.lastSeq) && first.lastSeq >= 0, 'the count is a number');
    must(typeof found.told === 'number', 'how far the journal was told is a number');
    await first.add([
      { body: { type: 'node.reset' }, boot: 'b-9', time: '2026-01-02T03:04:05.678Z', mono: 1 },
    ]);
    const { lastSeq } = first;
    await first.close();
    const second = await open(host);
    must(
      second.lastSeq === lastSeq && second.after(lastSeq - 1, 1)[0]?.boot === 'b-9',
      'an event that was added is there after a restart',
    );
    await second.trim(lastSeq, 'b-9');
    await second.close();
    must(
      host.changed.every((path) => [SPOOL, UNSAVED].includes(path)),
      'only the spool changes',
    );
    return found;
  },
};
