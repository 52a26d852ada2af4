import { describe, expect, it } from 'vitest';
import { BODIES, eventOf, MACHINE } from '../../test/support/sample-events.ts';
import { readEnrolReply, readEnrolRequest } from './enrolment.ts';
import type { SlipwayEvent } from './events.ts';
import { type EventBatch, MAX_BATCH_BYTES } from './exchange.ts';
import { readBatch, readReply } from './read-events.ts';
import { boundedText, WireError } from './wire.ts';

function event(seq: number, body: object = { type: 'node.reset' }): SlipwayEvent {
  return eventOf(body, seq);
}

function bytes(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function batch(events: object[] = [event(1)], more: object = {}): Buffer {
  return bytes({ version: 1, machine: MACHINE, events, ...more });
}

/** The refusal's code, and its message where one is expected. */
function refusal(body: Buffer): string {
  try {
    readBatch(body);
  } catch (error) {
    if (error instanceof WireError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('readBatch', () => {
  it('gives back every type of event as it was', () => {
    const sent: EventBatch = {
      version: 1,
      machine: { ...MACHINE, providerID: 'aws:///eu-1a/i-1' },
      reporter: '0.1.0',
      events: BODIES.map((body, index) => event(index + 1, body)),
    };
    expect(readBatch(bytes(sent))).toEqual(sent);
  });

  it('shows people nothing that they cannot see', () => {
    const hidden = '\u0007\u200b\u202e\u2066\ufeff\u{e0041}\u3164\u115f\ufe0f\u00ad\ue000\u2028';
    const failure = { code: 'X', cause: `a${hidden}b`, remedy: hidden };
    const [read] = readBatch(
      batch([event(1, { type: 'agent.lost', sequence: 's', how: 'killed', pid: 1, failure })]),
    ).events;
    expect(read).toMatchObject({
      failure: {
        cause: `a${' '.repeat([...hidden].length)}b`,
        remedy: 'Look at the console of the machine.',
      },
    });
  });

  it('bounds a text by its bytes and cuts no character in two', () => {
    expect(boundedText('äöü', 6)).toBe('äöü');
    expect(boundedText('äöü€', 8)).toBe('äö…');
    expect(boundedText('🙂🙂🙂', 11)).toBe('🙂🙂…');
    expect(Buffer.byteLength(boundedText('€'.repeat(999), 1024))).toBeLessThanOrEqual(1024);
  });

  it('ignores fields that it does not know', () => {
    const known = readBatch(batch());
    expect(readBatch(batch([{ ...event(1), later: { a: 1 } }], { colour: 'red' }))).toEqual(known);
  });

  it('keeps the head of a type that it does not know, so that it can be acknowledged', () => {
    const [read] = readBatch(batch([event(7, { type: 'moon.phase', phase: 1 })])).events;
    expect(read).toMatchObject({ type: 'unknown', kind: 'moon.phase', seq: 7, boot: 'b-1' });
    expect(readBatch(batch([event(8, { type: 'toString' })])).events[0]?.type).toBe('unknown');
  });

  it('refuses another version with a sentence', () => {
    expect(refusal(batch([], { version: 2 }))).toMatch(/^unsupported-version: version is not 1: .* releases/);
    expect(refusal(batch([{ ...event(1), v: 9 }]))).toMatch(/^unsupported-version: v is not 1/);
  });

  it('refuses what is no batch', () => {
    for (const bad of ['', '[]', 'null', '1', '{', '"x"', '{"version":1}']) {
      expect(refusal(bytes(bad)), bad).toMatch(/^bad-request/);
    }
    expect(refusal(Buffer.concat([batch(), Buffer.from([0xff])]))).toBe(
      'bad-request: the body is not valid UTF-8',
    );
  });

  it('refuses deep nesting before it builds anything, and does not count brackets in strings', () => {
    expect(refusal(bytes(`{"version":${'['.repeat(500_000)}`))).toMatch(
      /^bad-request: the body nests deeper/,
    );
    expect(refusal(batch([event(1, { type: 'fact', name: 'x', value: `${'[['.repeat(50)}\\"{` })]))).toBe(
      'taken',
    );
  });

  it('refuses too many bytes, too many events and too large an event', () => {
    expect(refusal(Buffer.alloc(MAX_BATCH_BYTES + 1, 0x20))).toMatch(/^too-large/);
    expect(refusal(batch(Array.from({ length: 257 }, (_, i) => event(i + 1))))).toMatch(
      /more than 256 items/,
    );
    expect(refusal(batch([event(1, { type: 'fact', name: 'x', value: 'é'.repeat(1500) })]))).toMatch(
      /^too-large/,
    );
  });

  it('refuses events out of order, doubled, or of another machine', () => {
    expect(refusal(batch([event(2), event(1)]))).toMatch(/ascending/);
    expect(refusal(batch([event(1), event(1)]))).toMatch(/ascending/);
    const foreign = { ...event(1), machine: { ...MACHINE, instance: 'i-2' } };
    expect(refusal(batch([foreign]))).toMatch(/another machine/);
  });

  it('refuses fields of a wrong type or range', () => {
    for (const wrong of [
      { seq: 0 },
      { seq: 1.5 },
      { seq: '1' },
      { boot: '' },
      { boot: 'x'.repeat(257) },
      { time: 'yesterday' },
      { mono: -1 },
      { traceparent: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` },
      { traceparent: null },
      { type: 5 },
      { machine: [] },
      { machine: { instance: 'i-1' } },
    ]) {
      expect(refusal(batch([{ ...event(1), ...wrong }])), JSON.stringify(wrong)).toMatch(/^bad-request/);
    }
    for (const body of BODIES.filter((each) => Object.keys(each).length > 1)) {
      for (const key of Object.keys(body)) {
        const result = refusal(batch([event(1, { ...body, [key]: { strange: true } })]));
        if (key !== 'resumed') expect(result, `${body.type} ${key}`).toMatch(/^bad-request/);
      }
    }
  });

  it('makes texts safe for a terminal', () => {
    const [read] = readBatch(
      batch([event(1, { type: 'fact', name: 'x', value: 'a\u001b[2Jb\u202ec\nd' })]),
    ).events;
    expect(read).toMatchObject({ value: 'a [2Jb c d' });
  });

  it('refuses half a surrogate pair, which no UTF-8 has', () => {
    expect(
      refusal(bytes(`{"version":1,"machine":{"instance":"\\ud800","hostname":"h"},"events":[]}`)),
    ).toMatch(/^bad-request/);
  });
});

describe('readReply', () => {
  it('reads what is stored', () => {
    expect(readReply(bytes({ version: 1, stored: 9, words: 'hello', more: 1 }))).toEqual({
      version: 1,
      stored: 9,
      words: 'hello',
    });
    expect(() => readReply(bytes({ version: 2, stored: 9 }))).toThrow(/version is not 1/);
    expect(() => readReply(bytes({ version: 1, stored: -1 }))).toThrow(/stored/);
  });
});

describe('enrolment', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\nBBBB=\n-----END CERTIFICATE-----\n';

  it('reads a request and an answer', () => {
    const request = { version: 1, token: 'abcdef.0123456789abcdef', csr: pem, machine: MACHINE };
    expect(readEnrolRequest(bytes(request))).toEqual(request);
    const { token: _, ...renewal } = request;
    expect(readEnrolRequest(bytes(renewal))).toEqual(renewal);
    const reply = { version: 1, certificate: pem + pem, ca: pem, expiresAt: '2026-01-02T03:04:05Z' };
    expect(readEnrolReply(bytes(reply))).toEqual(reply);
  });

  it('refuses a short token, and PEM that is none', () => {
    expect(() => readEnrolRequest(bytes({ version: 1, token: 'short', csr: pem, machine: MACHINE }))).toThrow(
      WireError,
    );
    for (const csr of ['', 'AAAA', `${pem}extra`, pem.replace('AAAA', 'AA AA'), pem.slice(0, 40), 5]) {
      expect(() => readEnrolRequest(bytes({ version: 1, csr, machine: MACHINE }))).toThrow(/PEM/);
    }
  });
});
