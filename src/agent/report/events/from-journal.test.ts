import { describe, expect, it } from 'vitest';
import type { JournalRecord, RecordBody } from '../../../protocol/journal.ts';
import { JournalEvents } from './from-journal.ts';

/** Records of one boot, a second apart unless `mono` says otherwise. */
function records(...bodies: (RecordBody & { mono?: number; boot?: string })[]): JournalRecord[] {
  return bodies.map((body, index) => ({
    v: 1,
    seq: index + 1,
    time: '2026-01-02T03:04:05.678Z',
    mono: index * 1000,
    boot: 'b',
    ...body,
  }));
}

const run: RecordBody = { type: 'run.started', run: 'r', instance: 'i', mode: 'shim', agent: '1', pid: 7 };
const step = { id: 'kubeadm join', title: 'Join', digest: 'd' };
const started: RecordBody = {
  type: 'sequence.started',
  run: 'r',
  sequence: 's',
  digest: 'd',
  steps: [step],
  deadlineSeconds: 0.4,
  resumed: false,
};
const failure = { code: 'ApiServerUnreachable', cause: 'c', remedy: 'r' } as const;
const told = (events: JournalEvents, all: JournalRecord[]) => all.flatMap((record) => events.take(record));
const bodies = (all: JournalRecord[]) => told(new JournalEvents(() => true), all).map(({ body }) => body);

describe('JournalEvents', () => {
  it('names the boot where the beginning of the sequence is damaged', () => {
    const found = bodies(records(run, { type: 'step.started', step: 'a', digest: 'd', attempt: 1 }));
    expect(found).toEqual([
      { type: 'step.started', sequence: 'b', step: { id: 'a', title: 'a' }, attempt: 1 },
    ]);
  });

  it('names steps by their titles and says how an attempt and a step ended', () => {
    const end = { type: 'step.ended', step: step.id, digest: 'd', ms: 5.4, failure } as const;
    const found = bodies(
      records(
        run,
        started,
        { type: 'step.started', step: step.id, digest: 'd', attempt: 1 },
        { ...end, attempt: 1, result: 'failed', retryInMs: 12.5 },
        { ...end, attempt: 2, result: 'failed' },
        { type: 'sequence.ended', run: 'r', sequence: 's', result: 'failed', exitStatus: 1, ms: 9, failure },
      ),
    );
    const named = { id: step.id, title: 'Join' };
    expect(found).toEqual([
      { type: 'sequence.started', sequence: 's', mode: 'shim', agent: '1', steps: [named], resumed: false },
      { type: 'step.started', sequence: 's', step: named, attempt: 1 },
      { type: 'step.attempt', sequence: 's', step: named, attempt: 1, ms: 5, failure, retryInMs: 13 },
      { type: 'step.ended', sequence: 's', step: named, attempt: 2, result: 'failed', ms: 5, failure },
      {
        type: 'sequence.ended',
        sequence: 's',
        mode: 'shim',
        result: 'failed',
        exitStatus: 1,
        ms: 9,
        step: named,
        failure,
      },
    ]);
  });

  it('names the step that the verdict is of, not the last one that failed', () => {
    const last = { type: 'step.ended', step: step.id, digest: 'd', attempt: 1, ms: 5, failure } as const;
    const end = { run: 'r', sequence: 's', result: 'failed', exitStatus: 1, ms: 9, failure } as const;
    const found = bodies(
      records(run, { ...last, result: 'failed' }, { type: 'sequence.ended', ...end, failedStep: 'first' }),
    );
    expect(found.at(-1)).toMatchObject({ step: { id: 'first' } });
  });

  it('passes a heartbeat on when nothing else was told for a minute, or when it is asked for', () => {
    const beat = (mono: number): RecordBody & { mono: number } => ({
      type: 'heartbeat',
      step: step.id,
      mono,
    });
    const all = records(run, started, beat(15_000), beat(30_000), beat(61_000), beat(75_000), beat(90_000));
    expect(bodies(all).filter(({ type }) => type === 'heartbeat')).toHaveLength(1);
    const events = new JournalEvents(() => true);
    told(events, all.slice(0, 3));
    events.reportNextHeartbeat();
    expect(events.take(all[3] as JournalRecord)).toHaveLength(1);
  });

  it('does not repeat the same progress', () => {
    const at = (message: string): RecordBody => ({ type: 'step.progress', step: step.id, message });
    const found = bodies(
      records(run, started, at('preflight'), at('preflight'), at('certs'), at('preflight')),
    );
    expect(found.filter(({ type }) => type === 'step.progress')).toHaveLength(3);
  });

  it('tells nothing of runs that are not of this machine, nor of what it does not know', () => {
    const other: RecordBody = { ...run, instance: 'baked into the image' };
    const events = new JournalEvents((record) => record.instance === 'i');
    const all = records(other, started, { type: 'node.reset', run: 'r' }, run, {
      type: 'node.reset',
      run: 'r',
    });
    expect(told(events, all).map(({ body }) => body.type)).toEqual(['node.reset']);
    const unknown = { type: 'moon.phase' } as unknown as RecordBody;
    expect(bodies(records(run, unknown))).toEqual([]);
  });

  it('knows the run under way, its step and its last record', () => {
    const events = new JournalEvents(() => true);
    const all = records(run, started, { type: 'step.started', step: step.id, digest: 'd', attempt: 1 });
    told(events, all);
    expect(events.run).toMatchObject({
      pid: 7,
      sequence: 's',
      open: true,
      step: { title: 'Join' },
      last: all[2],
    });
    told(
      events,
      records({ type: 'sequence.ended', run: 'r', sequence: 's', result: 'succeeded', exitStatus: 0, ms: 1 }),
    );
    expect(events.run?.open).toBe(false);
    expect(events.run).not.toHaveProperty('step');
  });
});
