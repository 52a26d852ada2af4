import { describe, expect, it } from 'vitest';
import type { JournalRecord, RecordBody } from '../../protocol/journal.ts';
import { timelineOf } from './spans.ts';
import { waterfall } from './waterfall.ts';

const STEPS = [
  { id: 'files', title: 'write 3 files', digest: 'd1' },
  { id: 'kubeadm', title: 'kubeadm join', digest: 'd2' },
];
const RUN: RecordBody = {
  ...{ type: 'run.started', run: 'r', instance: 'i', mode: 'bootstrap', agent: '0', pid: 1, uptimeMs: 150 },
};
const SEQUENCE: RecordBody = {
  ...{ type: 'sequence.started', run: 'r', sequence: 's', digest: 'd', steps: STEPS },
  ...{ deadlineSeconds: 900, resumed: false },
};
const FAILURE = { code: 'ApiServerUnreachable' as const, cause: 'c', remedy: 'r' };

function journal(...bodies: [mono: number, body: RecordBody, boot?: string][]): JournalRecord[] {
  return bodies.map(([mono, body, boot = 'b1'], index) => ({
    v: 1,
    seq: index + 1,
    time: new Date(Date.UTC(2026, 0, 1) + mono).toISOString(),
    mono,
    boot,
    ...body,
  }));
}

const started = (step: string, attempt: number): RecordBody => ({
  ...{ type: 'step.started', step, digest: step === 'files' ? 'd1' : 'd2', attempt },
});
const ended = (step: string, attempt: number, more: object = {}): RecordBody => ({
  ...{ type: 'step.ended', step, digest: step === 'files' ? 'd1' : 'd2', attempt, result: 'done', ms: 1 },
  ...more,
});
const said = (message: string): RecordBody => ({ type: 'step.progress', step: 'kubeadm', message });

const RECORDS = journal(
  [8_150, RUN],
  [8_150, SEQUENCE],
  [8_160, started('files', 1)],
  [8_200, ended('files', 1)],
  [8_200, started('kubeadm', 1)],
  [8_300, said('waiting for the cluster: 192.0.2.1:6443 does not answer yet: connection refused')],
  [12_300, ended('kubeadm', 1, { result: 'failed', failure: FAILURE, retryInMs: 2_000 })],
  [14_300, started('kubeadm', 2)],
  [14_400, said('preflight: Running pre-flight checks')],
  [14_900, said('preflight: Reading configuration from the cluster...')],
  [15_400, said('kubelet-start: Starting the kubelet')],
  [20_000, ended('kubeadm', 2)],
);

describe('timelineOf', () => {
  it('tells where the time of a boot went, with attempts, pauses and the phases of kubeadm', () => {
    expect(timelineOf(RECORDS)).toEqual([
      {
        boot: 'b1',
        began: '2026-01-01T00:00:00.000Z',
        spans: [
          { name: 'boot until Slipway began', fromMs: 0, ms: 8_000, end: 'done' },
          { name: 'user data found and read', fromMs: 8_000, ms: 150, end: 'done' },
          { name: 'write 3 files', fromMs: 8_160, ms: 40, end: 'done' },
          {
            ...{ name: 'kubeadm join', fromMs: 8_200, ms: 4_100, end: 'failed' },
            parts: [
              { name: 'begin', fromMs: 8_200, ms: 100 },
              { name: 'waiting for the cluster', fromMs: 8_300, ms: 4_000 },
            ],
          },
          { name: 'pause', fromMs: 12_300, ms: 2_000, end: 'pause' },
          {
            ...{ name: 'kubeadm join', fromMs: 14_300, ms: 5_700, end: 'done', attempt: 2 },
            parts: [
              { name: 'begin', fromMs: 14_300, ms: 100 },
              { name: 'preflight', fromMs: 14_400, ms: 1_000 },
              { name: 'kubelet-start', fromMs: 15_400, ms: 4_600 },
            ],
          },
        ],
      },
    ]);
  });

  it('ends what a killed agent was at with its last word, and what is under way with now', () => {
    const records = journal(
      [1_000, RUN],
      [1_000, SEQUENCE],
      [1_000, started('kubeadm', 1)],
      [3_000, said('preflight: x')],
      [500, RUN, 'b2'],
      [500, { ...SEQUENCE, resumed: true } as RecordBody, 'b2'],
      [600, started('kubeadm', 2), 'b2'],
    );
    const [first, second] = timelineOf(records, 900);
    expect(first?.spans.at(-1)).toMatchObject({ fromMs: 1_000, ms: 2_000, end: 'open' });
    expect(second).toMatchObject({ boot: 'b2', spans: [{ ms: 350 }, { ms: 150 }, { ms: 300, end: 'open' }] });
  });

  it('has none where nothing was begun, and copes with an agent that noted less', () => {
    expect(timelineOf([])).toEqual([]);
    const { uptimeMs: _, ...older } = RUN as RecordBody & { uptimeMs: number };
    const [boot] = timelineOf(journal([5_000, older as RecordBody], [5_000, SEQUENCE]));
    expect(boot?.spans).toEqual([{ name: 'boot until Slipway began', fromMs: 0, ms: 5_000, end: 'done' }]);
  });
});

describe('waterfall', () => {
  it('draws bars on one axis and sums up what is short', () => {
    expect(waterfall(timelineOf(RECORDS), 80)).toBe(`boot of 2026-01-01T00:00:00.000Z, 20.0s

                                from     took
  boot until Slipway began       0ms     8.0s  █████████████
  2 short ones                  8.0s    190ms               █
✘ kubeadm join                  8.2s     4.1s               ███████
    waiting for the cluster     8.3s     4.0s               ███████
  pause                        12.3s     2.0s                      ███
  kubeadm join, attempt 2      14.3s     5.7s                         █████████
    preflight                  14.4s     1.0s                         ██
    kubelet-start              15.4s     4.6s                           ███████
`);
  });

  it('begins where Slipway did, when that was long after the boot', () => {
    const late = RECORDS.map((record) => ({ ...record, mono: record.mono + 3_600_000 }));
    const [head, , , first] = waterfall(timelineOf(late), 80).split('\n');
    expect(head).toBe('boot of 2025-12-31T23:00:00.000Z, 12.0s; Slipway began after 60m 8s');
    expect(first).toMatch(/^ {2}user data found and read +0ms +150ms/);
  });

  it('fits into any terminal', () => {
    for (const columns of [40, 60, 80, 200])
      for (const line of waterfall(timelineOf(RECORDS), columns).split('\n').slice(1))
        expect(line.length).toBeLessThanOrEqual(Math.max(columns, 45));
  });
});
