import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapEvents, FAILURE } from '../../../test/support/controller/simulated-machine.ts';
import type { EventBody, ReadEvent } from '../../protocol/events.ts';
import { conditionOf, SILENT_MS } from '../machines/condition.ts';
import { messageOf } from './message.ts';
import { fold, MAX_STEPS, newSummary, type Summary } from './summary.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const step = { id: 'kubeadm-join', title: 'kubeadm join' };

function event(seq: number, body: EventBody, boot = 'b1'): ReadEvent {
  return {
    v: 1,
    machine: { instance: 'i', hostname: 'h' },
    ...{ boot, seq, mono: seq * 1000, time: new Date(START + seq * 1000).toISOString() },
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ...body,
  };
}

function told(...bodies: EventBody[]): Summary {
  return bodies.reduce((summary, body, at) => fold(summary, event(at + 1, body)), newSummary());
}

const [fact, started] = bootstrapEvents(20) as [EventBody, Extract<EventBody, { type: 'sequence.started' }>];
const begun: EventBody = { type: 'step.started', sequence: started.sequence, step, attempt: 1 };
const attempt: EventBody = {
  type: 'step.attempt',
  sequence: started.sequence,
  step,
  attempt: 1,
  ms: 900,
  failure: FAILURE,
  retryInMs: 50,
};
const ended = (result: 'succeeded' | 'failed', failure?: typeof FAILURE): EventBody => ({
  ...{
    type: 'sequence.ended',
    sequence: started.sequence,
    mode: 'bootstrap',
    result,
    exitStatus: 0,
    ms: 62_000,
  },
  ...(failure ? { failure, step } : {}),
});
const lost: EventBody = {
  type: 'agent.lost',
  sequence: started.sequence,
  how: 'killed',
  pid: 7,
  failure: FAILURE,
  step,
};

describe('what a Machine says', () => {
  const says = (summary: Summary, heardMs = 87_000) => {
    const { status, reason, message } = conditionOf(summary, heardMs, START);
    return [status, reason, message];
  };

  it('of a node that bootstrapped: what is wrong with its addresses', () => {
    const finding = (code: string): EventBody => ({
      type: 'finding',
      severity: 'warning',
      code,
      message: 'the Node "n" has no IP address',
    });
    expect(says(told(fact, started, begun, finding('NodeAddressWrong'), ended('succeeded')))).toEqual([
      'True',
      'NodeAddressWrong',
      expect.stringMatching(
        /^The machine bootstrapped in .*\. The Node "n" has no IP address\. Correct node-ip /,
      ),
    ]);
    expect(says(told(fact, started, begun, finding('CommandFailed'), ended('succeeded')))[1]).toBe(
      'Bootstrapped',
    );
    // The next boot looks anew.
    const again = { ...started, sequence: 's2' };
    expect(
      says(told(started, finding('NodeAddressWrong'), ended('succeeded'), again, ended('succeeded')))[1],
    ).toBe('Bootstrapped');
  });

  it('keeps the provider ID of the Node, whatever is seen of it later', () => {
    const seen = (state: 'ready' | 'kubelet-healthy', providerID?: string, node = 'n'): EventBody => ({
      ...{ type: 'node.observed', node, state },
      ...(providerID ? { providerID } : {}),
    });
    expect(told(seen('ready', 'a'), seen('kubelet-healthy')).node).toEqual({
      name: 'n',
      state: 'kubelet-healthy',
      providerID: 'a',
    });
    expect(told(seen('ready', 'a'), seen('ready', undefined, 'other')).node).toEqual({
      name: 'other',
      state: 'ready',
    });
  });

  it('while it runs: step, attempt, elapsed time', () => {
    expect(says(newSummary()).slice(0, 2)).toEqual(['Unknown', 'Waiting']);
    expect(says(told(fact, started, begun))).toEqual([
      'Unknown',
      'Running',
      'The bootstrap has been running for 1m 28s: step 6 of 7, kubeadm join.',
    ]);
    expect(says(told(fact, started, begun, attempt), 86_000)).toEqual([
      'Unknown',
      FAILURE.code,
      `The bootstrap has been running for 1m 28s: step 6 of 7, kubeadm join. The last attempt failed: ${FAILURE.cause}`,
    ]);
    const retried = told(fact, started, begun, attempt, { ...begun, attempt: 2 });
    expect(says(retried)[2]).toContain('kubeadm join, attempt 2. The last');
  });

  it('when it is over: the code, cause and remedy, or how long it took', () => {
    expect(says(told(...bootstrapEvents(40)))).toEqual([
      'True',
      'Bootstrapped',
      'The machine bootstrapped in 42.0s.',
    ]);
    expect(says(told(started, begun, ended('failed', FAILURE)))).toEqual([
      'False',
      'ApiServerUnreachable',
      `${FAILURE.cause} ${FAILURE.remedy}`,
    ]);
    expect(says(told(started, ended('failed'))).slice(0, 2)).toEqual(['False', 'Unclassified']);
    expect(says(told(started, begun, attempt, ended('succeeded')))[0]).toBe('True');
  });

  it('when nothing shows whether there was to be a node: Unknown, until the Node is Ready', () => {
    const unknown = { ...ended('succeeded'), isNodeUnknown: true } as EventBody;
    expect(says(told(started, unknown)).slice(0, 2)).toEqual(['Unknown', 'NotKnownToMakeANode']);
    const ready: EventBody = { type: 'node.observed', node: 'w1', state: 'ready' };
    expect(says(told(started, unknown, ready)).slice(0, 2)).toEqual(['True', 'Bootstrapped']);
    expect(says(told(started, ready, unknown)).slice(0, 2)).toEqual(['True', 'Bootstrapped']);
    expect(says(told(started, unknown, { ...started, resumed: false }, ended('succeeded')))[0]).toBe('True');
  });

  it('lost, found, reset, silent', () => {
    expect(says(told(started, begun, lost)).slice(0, 2)).toEqual(['False', 'ApiServerUnreachable']);
    expect(says(told(started, begun, lost, { ...started, resumed: true })).slice(0, 2)).toEqual([
      'Unknown',
      'Running',
    ]);
    expect(says(told(...bootstrapEvents(20), { type: 'node.reset' })).slice(0, 2)).toEqual([
      'Unknown',
      'Reset',
    ]);
    const silent = says(told(started, begun), SILENT_MS + 1);
    expect(silent.slice(0, 2)).toEqual(['Unknown', 'Silent']);
    expect(silent[2]).toContain('since 2026-01-01T00:00:00Z');
  });

  it('nothing of the past in a new run of the same sequence but its steps that are done', () => {
    const done: EventBody = {
      type: 'step.ended',
      sequence: started.sequence,
      step: { id: 'files', title: 'files' },
      attempt: 1,
      result: 'done',
      ms: 5,
    };
    const resumed = told(started, done, begun, lost, { ...started, resumed: true });
    expect(resumed.failure).toBeUndefined();
    expect(resumed.steps[0]).toMatchObject({ id: 'files', result: 'done', ms: 5 });
    const anew = told(started, done, begun, ended('failed', FAILURE), { ...started, sequence: 'other' });
    expect(anew.steps[0]).toMatchObject({ id: 'files', result: 'pending' });
    expect(anew.events).toBe(5);
  });

  it('the elapsed time by the monotonic clock: a wall clock that is set by hours changes nothing', () => {
    const setBy = (hours: number) =>
      messageOf(
        [event(1, started), { ...event(2, begun), time: new Date(START + hours * 3_600_000).toISOString() }]
          .concat({ ...event(9, { type: 'heartbeat', sequence: started.sequence }), time: 'nonsense' })
          .reduce(fold, newSummary()),
        60_000,
      );
    const said = 'The bootstrap has been running for 1m 8s: step 6 of 7, kubeadm join.';
    expect([setBy(-1), setBy(0), setBy(1)]).toEqual([said, said, said]);
  });

  it('the elapsed time over a reboot', () => {
    const after = { ...event(2, { ...started, resumed: true }, 'b2'), mono: 3_000 };
    const summary = [event(1, started), { ...after, time: new Date(START + 61_000).toISOString() }].reduce(
      fold,
      newSummary(),
    );
    expect(messageOf(summary)).toBe('The bootstrap has been running for 1m 0s.');
    expect(messageOf(fold(summary, { ...after, seq: 3, mono: 4_000 }))).toContain('for 1m 1s');
  });
});

describe('fold', () => {
  it('stays bounded and makes sense of any order of events', () => {
    const pool: EventBody[] = [
      ...bootstrapEvents(24),
      ...bootstrapEvents(20, true),
      lost,
      attempt,
      { type: 'node.reset' },
      { type: 'heartbeat', sequence: 's' },
    ];
    const one = fc.record({ at: fc.nat(pool.length - 1), boot: fc.nat(40), odd: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 120 }), (choices) => {
        let summary = newSummary();
        choices.forEach(({ at, boot, odd }, index) => {
          const body = pool[at] as EventBody;
          const strange =
            'step' in body && body.step ? { ...body, step: { id: `s${odd}`, title: 't' } } : body;
          const before = structuredClone(summary);
          const next = fold(summary, event(index + 1, strange, `b${boot}`));
          expect(summary).toEqual(before);
          summary = next;
        });
        expect(summary.events).toBe(choices.length);
        expect(summary.steps.length).toBeLessThanOrEqual(MAX_STEPS);
        expect(summary.boots.length).toBeLessThanOrEqual(16);
        const { status, reason, message } = conditionOf(summary, 0, START);
        expect(reason).toMatch(/^[A-Z][A-Za-z0-9]*$/);
        expect(message.length).toBeGreaterThan(10);
        expect(status === 'True').toBe(summary.phase === 'Succeeded');
      }),
      { numRuns: 200 },
    );
  });
});
