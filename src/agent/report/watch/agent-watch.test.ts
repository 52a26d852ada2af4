import { describe, expect, it } from 'vitest';
import type { JournalRecord, RecordBody } from '../../../protocol/journal.ts';
import type { RunState } from '../events/from-journal.ts';
import type { AgentProcess } from './agent-process.ts';
import { AgentWatch } from './agent-watch.ts';

const agent: AgentProcess = { pid: 7, startTime: '100', state: 'waiting', ticks: 5 };
const gone: AgentProcess = { ...agent, state: 'gone' };

function run(
  mono: number,
  body: RecordBody = { type: 'heartbeat', step: 's' },
  more: Partial<RunState> = {},
): RunState {
  const last = { v: 1, seq: 1, time: '', mono, boot: 'b', ...body } as JournalRecord;
  return { mode: 'bootstrap', agent: '1', pid: 7, boot: 'b', sequence: 's-1', open: true, last, ...more };
}

/** The kinds of news at each of these times (in ms), with the same sight at each. */
function looks(
  watch: AgentWatch,
  times: number[],
  seen: AgentProcess | undefined,
  state?: RunState,
  outcome = false,
): string[] {
  return times.map((now) => {
    const news = watch.look(now, seen, state, outcome, 'b');
    return news.kind === 'lost' ? news.loss.how : news.kind;
  });
}

describe('AgentWatch', () => {
  it('tells once that the agent is gone, after a second look', () => {
    const watch = new AgentWatch();
    expect(looks(watch, [0], agent, run(0))).toEqual(['nothing']);
    expect(looks(watch, [400, 800, 1200, 1600], gone, run(0))).toEqual([
      'nothing',
      'nothing',
      'killed',
      'killed',
    ]);
    // The lock of the dead stays; that its loss has one name is what keeps it from being told twice.
    const keys = [2000, 2400, 3000].map((now) => watch.look(now, gone, run(0), false, 'b'));
    const named = keys.flatMap((news) => (news.kind === 'lost' ? [news.loss.key] : []));
    expect(new Set(named).size).toBe(1);
  });

  it('takes outcome.json, or the end in the journal of that very run, for a verdict', () => {
    expect(looks(new AgentWatch(), [0, 400, 5000], gone, run(0), true)).toEqual(Array(3).fill('nothing'));
    const ended = run(0, undefined, { open: false });
    expect(looks(new AgentWatch(), [0, 400, 5000], gone, ended)).toEqual(Array(3).fill('nothing'));
    // The run before had ended; this one died before its first record.
    expect(looks(new AgentWatch(), [0, 5000], gone, { ...ended, pid: 6 })).toEqual(['nothing', 'killed']);
  });

  it('notices an agent that took its lock along without a verdict', () => {
    const watch = new AgentWatch();
    expect(looks(watch, [0], agent)).toEqual(['nothing']);
    expect(looks(watch, [400, 1200], undefined)).toEqual(['nothing', 'killed']);
    expect(looks(watch, [1600, 9000], undefined)).toEqual(['nothing', 'nothing']);
  });

  it('knows nothing where there never was an agent', () => {
    expect(looks(new AgentWatch(), [0, 1000, 90_000], undefined)).toEqual(Array(3).fill('nothing'));
  });

  it('tells a stopped agent within a second, and its return', () => {
    const watch = new AgentWatch();
    const stopped = { ...agent, state: 'stopped' } as const;
    expect(looks(watch, [0, 700, 1100], stopped, run(0))).toEqual(['nothing', 'hung', 'nothing']);
    expect(looks(watch, [1500, 1900], agent, run(1400))).toEqual(['back', 'nothing']);
    const again = looks(watch, [2000, 2700], stopped, run(1400));
    expect(again).toEqual(['nothing', 'hung']);
  });

  it('gives a sleeping agent 18 s between records, and the pause before the next attempt on top', () => {
    const watch = new AgentWatch();
    expect(looks(watch, [0, 15_500, 17_900], agent, run(0))).toEqual(Array(3).fill('nothing'));
    expect(looks(watch, [18_500, 19_200], agent, run(0))).toEqual(['nothing', 'hung']);
    const pause: RecordBody = {
      type: 'step.ended',
      step: 's',
      digest: 'd',
      attempt: 1,
      result: 'failed',
      ms: 1,
      retryInMs: 30_000,
    };
    expect(looks(new AgentWatch(), [0, 30_000, 47_900], agent, run(0, pause))).toEqual(
      Array(3).fill('nothing'),
    );
    expect(looks(new AgentWatch(), [0, 48_500, 49_200], agent, run(0, pause))).toEqual([
      'nothing',
      'nothing',
      'hung',
    ]);
  });

  it('gives one that works hard, or waits for a disk, three times as long', () => {
    const watch = new AgentWatch();
    const ticking = [0, 18_500, 30_000, 47_000].map((now, index) =>
      watch.look(now, { ...agent, ticks: 100 + index }, run(0), false, 'b'),
    );
    expect(ticking.every(({ kind }) => kind === 'nothing')).toBe(true);
    const busy = { ...agent, state: 'working' } as const;
    expect(looks(new AgentWatch(), [0, 20_000, 47_000], busy, run(0))).toEqual(Array(3).fill('nothing'));
    expect(looks(new AgentWatch(), [0, 49_000, 50_000], busy, run(0))).toEqual([
      'nothing',
      'nothing',
      'hung',
    ]);
  });

  it('does not measure against records of another boot or another run', () => {
    expect(looks(new AgentWatch(), [0, 90_000, 99_000], agent, run(0, undefined, { boot: 'a' }))).toEqual(
      Array(3).fill('nothing'),
    );
    expect(looks(new AgentWatch(), [0, 90_000, 99_000], agent, run(0, undefined, { pid: 6 }))).toEqual(
      Array(3).fill('nothing'),
    );
  });
});
