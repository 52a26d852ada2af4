import { describe, expect, it } from 'vitest';
import { type EventBody, MAX_EVENT_BYTES, type SlipwayEvent } from '../../../protocol/events.ts';
import { readEvent } from '../../../protocol/read-events.ts';
import { boundEvent, shorten } from './bounded.ts';

function event(body: EventBody, machine = { instance: 'i-1', hostname: 'h' }): SlipwayEvent {
  return {
    v: 1,
    machine,
    boot: 'b-1',
    seq: 1,
    time: '2026-01-02T03:04:05.678Z',
    mono: 1,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ...body,
  } as SlipwayEvent;
}

const step = { id: 'a', title: 'b' };
const failure = { code: 'Unclassified', cause: 'c', remedy: 'r' };
const sequence = 's';

describe('boundEvent', () => {
  it('leaves a small event as it is', () => {
    const small = event({ type: 'step.ended', sequence, step, attempt: 1, result: 'failed', ms: 1, failure });
    expect(boundEvent(small)).toEqual(small);
  });

  it.each([1, 3000, 100_000])(
    'keeps every type below the bound, readable and marked (texts of %i)',
    (length) => {
      const long = '€"\\\u0001'.repeat(Math.ceil(length / 4)).slice(0, length);
      const big = {
        code: 'Unclassified',
        cause: long,
        remedy: long,
        exitStatus: 1,
        lines: Array(5).fill(long),
      };
      const name = { id: long, title: long };
      const bodies: EventBody[] = [
        {
          type: 'sequence.started',
          sequence,
          mode: 'shim',
          agent: long,
          steps: Array(length > 10_000 ? 10 : 300).fill(name),
          resumed: true,
        },
        {
          type: 'sequence.ended',
          sequence,
          mode: 'shim',
          result: 'failed',
          exitStatus: 1,
          ms: 1,
          step: name,
          failure: big,
        },
        { type: 'step.started', sequence, step: name, attempt: 1 },
        { type: 'step.progress', sequence, step: name, message: long },
        { type: 'step.attempt', sequence, step: name, attempt: 1, ms: 1, failure: big, retryInMs: 5 },
        {
          type: 'step.ended',
          sequence,
          step: name,
          attempt: 1,
          result: 'failed',
          ms: 1,
          message: long,
          failure: big,
        },
        { type: 'finding', severity: 'warning', code: 'Unclassified', message: long, where: long },
        { type: 'fact', name: long, value: long },
        { type: 'node.observed', node: long, state: 'not-ready', message: long },
        { type: 'agent.lost', sequence, how: 'killed', pid: 1, step: name, failure: big },
        { type: 'sentinel.seen', path: long },
        { type: 'events.lost', count: 1, why: long },
      ];
      for (const body of bodies) {
        const result = boundEvent(event(body, { instance: long, hostname: long }));
        expect(Buffer.byteLength(JSON.stringify(result)), body.type).toBeLessThan(MAX_EVENT_BYTES);
        expect(readEvent(JSON.parse(JSON.stringify(result))), body.type).toEqual(result);
        if (length > 1) expect(result.truncated, body.type).toBe(true);
      }
    },
  );

  it('keeps as many steps as fit, and says how many are missing', () => {
    const steps = Array.from({ length: 100 }, (_, index) => ({
      id: `write_files ${index}`,
      title: 'Write a file',
    }));
    const result = boundEvent(
      event({ type: 'sequence.started', sequence, mode: 'bootstrap', steps, resumed: false }),
    );
    if (result.type !== 'sequence.started') throw new Error('another type');
    expect(result.steps.length).toBeGreaterThan(30);
    expect(result.steps.length + (result.stepsOmitted ?? 0)).toBe(100);
    expect(result.steps).toEqual(steps.slice(0, result.steps.length));
  });

  it('cuts out secrets, in every text', () => {
    const secret = `join --token abcdef.0123456789abcdef --certificate-key ${'ab'.repeat(32)}`;
    const lines = [secret];
    const texts = JSON.stringify([
      boundEvent(event({ type: 'fact', name: 'x', value: secret })),
      boundEvent(
        event({ type: 'step.progress', sequence, step: { id: 'a', title: secret }, message: secret }),
      ),
      boundEvent(
        event({
          type: 'agent.lost',
          sequence,
          how: 'hung',
          pid: 1,
          failure: { ...failure, cause: secret, lines },
        }),
      ),
    ]);
    expect(texts).not.toContain('0123456789abcdef');
    expect(texts).not.toContain('abababab');
    expect(texts).toContain('abcdef.[redacted]');
  });
});

it('shorten keeps beginning and end, and halves no character', () => {
  expect(shorten('short', 10)).toBe('short');
  const text = shorten(`begin ${'😀'.repeat(500)} end`, 101);
  expect(text.length).toBeLessThanOrEqual(101);
  expect(text).toMatch(/^begin .* … .* end$/u);
  expect(text.isWellFormed()).toBe(true);
});
