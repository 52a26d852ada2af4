import { describeRecord } from '../../../src/agent/cli/text/describe-record.ts';
import { readStatus } from '../../../src/agent/cli/text/read-status.ts';
import { statusText } from '../../../src/agent/cli/text/status-text.ts';
import { JOURNAL, OUTCOME } from '../../../src/agent/document/paths.ts';
import { historyOf } from '../../../src/agent/engine/history.ts';
import { Journal } from '../../../src/agent/engine/journal.ts';
import { parseJournal } from '../../../src/agent/engine/parse-journal.ts';
import { readOutcome } from '../../../src/agent/engine/read-outcome.ts';
import { JournalEvents } from '../../../src/agent/report/events/from-journal.ts';
import { Spool } from '../../../src/agent/report/spool/spool.ts';
import { JournalTail } from '../../../src/agent/report/watch/journal-tail.ts';
import { sequenceEndedEvent } from '../../../src/agent/report/watch/sequence-ended-event.ts';
import { jsonLines, jsons, texts } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';

const failure = { code: 'KubeadmTimedOut', cause: 'c', remedy: 'r', exitStatus: 1, lines: ['a', 'b'] };
const outline = { id: 'kubeadm', title: 'kubeadm join', digest: 'd1' };
const BODIES = [
  { type: 'run.started', run: 'r-1', instance: 'i-1', mode: 'bootstrap', agent: '0.1.0', pid: 7 },
  {
    type: 'sequence.started',
    run: 'r-1',
    sequence: 's-1',
    digest: 'd',
    steps: [outline],
    deadlineSeconds: 900,
    resumed: false,
  },
  { type: 'step.started', step: 'kubeadm', digest: 'd1', attempt: 1 },
  { type: 'step.progress', step: 'kubeadm', message: 'preflight', fromOutput: true },
  { type: 'heartbeat', step: 'kubeadm' },
  {
    type: 'step.ended',
    step: 'kubeadm',
    digest: 'd1',
    attempt: 1,
    result: 'failed',
    ms: 5,
    failure,
    retryInMs: 100,
  },
  { type: 'finding', severity: 'warning', code: 'UserDataIgnoredKey', message: 'm', where: '1:2' },
  { type: 'step.started', step: 'kubeadm', digest: 'd1', attempt: 2 },
  { type: 'step.ended', step: 'kubeadm', digest: 'd1', attempt: 2, result: 'done', ms: 5, message: 'm' },
  { type: 'sequence.ended', run: 'r-1', sequence: 's-1', result: 'failed', exitStatus: 1, ms: 5, failure },
  { type: 'node.reset', run: 'r-2', scope: 'node' },
  { type: 'journal.repaired', bytes: 12 },
];
const head = (seq: number) => ({
  v: 1,
  seq,
  time: '2026-01-02T03:04:05.678Z',
  mono: 1000 * seq,
  boot: 'b-1',
});
const WHOLE = jsonLines(...BODIES.map((body, index) => ({ ...head(index + 1), ...body })));

/** The journal, read by everybody who reads it: the next run, the reporter, `slipway status`. */
export const journal: Target = {
  name: 'journal',
  dictionary: [
    '\n',
    '{"v":1,',
    '"seq":',
    '"type":',
    ...BODIES.map(({ type }) => type),
    'steps',
    'i-1',
    'kubeadm',
  ],
  corpus: () => [
    WHOLE,
    ...BODIES.map((_, count) =>
      jsonLines(...BODIES.slice(0, count + 1).map((body, index) => ({ ...head(index + 1), ...body }))),
    ),
  ],
  run: async (bytes) => {
    const host = memoryHost({ [JOURNAL]: bytes });
    const { records } = parseJournal(bytes);
    const history = historyOf(records, 'i-1');
    const told = [...(await new JournalTail(host).poll()).records, ...records].map(describeRecord);
    const status = await readStatus(host);
    const shown = statusText(status) + JSON.stringify(status);
    must(host.changed.length === 0, 'reading changes nothing');
    const events = await drafted(bytes);
    await mustGoOn(bytes, records.length);
    return { records, history: history.step('kubeadm', 'd1'), told, shown, events };
  },
};

/** Every record becomes events that a receiver takes. */
async function drafted(bytes: Buffer): Promise<unknown> {
  const source = new JournalEvents(({ instance }) => instance === 'i-1');
  const host = memoryHost({});
  const spool = await Spool.open(host, () => ({ instance: 'i-1', hostname: 'node-1' }));
  for (const record of parseJournal(bytes).records) await spool.add(source.take(record));
  return spool.after(0, 10_000);
}

/** A journal in any state takes the next record, and has it and all before it at the next opening. */
async function mustGoOn(bytes: Buffer, before: number): Promise<void> {
  const host = memoryHost({ [JOURNAL]: bytes });
  const open = await Journal.open(host);
  const { seq } = await open.append({ type: 'heartbeat', step: 'kubeadm' });
  await open.close();
  must([JOURNAL].includes([...new Set(host.changed)].join()), 'the journal is the only file that changes');
  const after = parseJournal(host.contents.get(JOURNAL) ?? Buffer.alloc(0));
  must(
    after.records.length > before && after.records.at(-1)?.seq === seq,
    'a record that was appended is read again',
  );
  must(after.badBytes === 0, 'what was repaired is not told again');
}

const OUTCOME_WHOLE = {
  ...{ version: 1, result: 'failed', exitStatus: 1, message: 'm', failure, support: '/a', step: 'kubeadm' },
  findings: [{ severity: 'warning', code: 'UserDataIgnoredKey', message: 'm', where: '1:2' }],
  steps: [{ id: 'kubeadm', title: 'kubeadm join', result: 'failed', attempts: 2, seconds: 3 }],
  ...{ instance: 'i-1', boot: 'b-1', sequence: 's-1', mode: 'bootstrap', agent: '0.1.0' },
  ...{ startedAt: '2026-01-02T03:04:05.678Z', endedAt: '2026-01-02T03:04:05.678Z', seconds: 3 },
};

/** The verdict, as the reporter and `slipway status` read it. */
export const outcome: Target = {
  name: 'outcome',
  dictionary: Object.keys(OUTCOME_WHOLE),
  corpus: () => [
    ...jsons(OUTCOME_WHOLE, { ...OUTCOME_WHOLE, result: 'succeeded', failure: undefined }),
    ...texts(JSON.stringify(OUTCOME_WHOLE, undefined, 2)),
  ],
  run: async (bytes) => {
    const host = memoryHost({ [OUTCOME]: bytes });
    const seen = await readOutcome(host);
    const verdict = seen && sequenceEndedEvent(seen);
    const alone = await readStatus(host);
    const withJournal = await readStatus(memoryHost({ [OUTCOME]: bytes, [JOURNAL]: WHOLE }));
    const spool = await Spool.open(host, () => ({ instance: 'i-1', hostname: 'node-1' }));
    if (verdict) await spool.add([{ body: verdict, boot: 'b-1', time: '2026-01-02T03:04:05.678Z', mono: 1 }]);
    return {
      verdict,
      shown: [alone, withJournal].map((status) => statusText(status) + JSON.stringify(status)),
    };
  },
};
