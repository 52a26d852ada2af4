import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import { Informer, type InformerOptions } from './informer.ts';
import type { KubeObject } from './objects.ts';

const object = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { namespace: 'ns', name, resourceVersion },
});
const list = (version: string, ...items: KubeObject[]) => ({ metadata: { resourceVersion: version }, items });
const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

interface Reply {
  statusCode: number;
  data: object | string;
  responseOptions?: { headers: Record<string, string> };
}
const ok = (data: object | string): Reply => ({ statusCode: 200, data });
const refusal = (statusCode: number, headers: Record<string, string> = {}): Reply => ({
  ...{ statusCode, data: { kind: 'Status', message: 'no' }, responseOptions: { headers } },
});

/** What a watch is told, beside its replies. */
interface Moving extends InformerOptions {
  atReply?: number;
  atEvent?: number;
}

/** Tells what an informer tells. */
function recorder(heard = () => {}) {
  const told: string[] = [];
  const troubles: { error: Error; retryInMs: number }[] = [];
  const ignored: string[] = [];
  const handlers = {
    changed: ({ metadata }: KubeObject) => {
      heard();
      told.push(`${metadata.name}@${metadata.resourceVersion}`);
    },
    gone: (key: string) => void told.push(`-${key}`),
    listed: () => void told.push('listed'),
    ignored: (what: string) => void ignored.push(what),
    trouble: (error: Error, retryInMs: number) => void troubles.push({ error, retryInMs }),
  };
  return { told, troubles, ignored, handlers };
}

describe('an informer of an API server that answers as it is told', () => {
  let agent: MockAgent;
  beforeEach(() => {
    agent = new MockAgent();
    agent.disableNetConnect();
  });
  afterEach(() => agent.close());

  /**
   * Gives `replies` in turn, and ends in the wait after the last of them.
   *
   * @param passing by how much the clock moves on at each reply, and at each object that is told
   */
  async function watch(replies: Reply[], { atReply = 0, atEvent = 0, ...options }: Moving = {}) {
    const server = new URL('https://api.example');
    const asked: string[] = [];
    const waits: number[] = [];
    let now = 0;
    const record = recorder(() => {
      now += atEvent;
    });
    const left = [...replies];
    agent
      .get(server.origin)
      .intercept({ path: () => true })
      .reply(({ path }) => {
        asked.push(path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=n'));
        now += atReply;
        return left.shift() as Reply;
      })
      .persist();
    const ended = Promise.withResolvers<void>();
    const informer = new Informer(new KubeClient({ server, namespace: 'ns' }, agent), '/c', record.handlers, {
      ...options,
      random: () => 0,
      clock: {
        now: () => now,
        pause: async (ms, signal) => {
          waits.push(ms);
          now += ms;
          if (left.length > 0) return;
          ended.resolve();
          await once(signal, 'abort');
        },
      },
    });
    informer.start();
    await ended.promise;
    await informer.stop();
    return { informer, asked, waits, ...record };
  }

  const WATCH = 'watch=true&allowWatchBookmarks=true';

  it('lists, watches from there, and goes on where it was', async () => {
    const seen = await watch([
      ok(list('5', object('a', '3'), object('b', '4'))),
      ok(
        lines(
          { type: 'MODIFIED', object: object('a', '6') },
          { type: 'MODIFIED', object: object('a', '6') },
          { type: 'DELETED', object: object('b', '7') },
          { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } },
        ),
      ),
      ok(lines({ type: 'ADDED', object: object('c', '10') })),
    ]);
    expect(seen.told).toEqual(['a@3', 'b@4', 'listed', 'a@6', '-ns/b', 'c@10']);
    expect(seen.asked).toEqual([
      '/c?resourceVersion=0',
      `/c?${WATCH}&resourceVersion=5&timeoutSeconds=n`,
      `/c?${WATCH}&resourceVersion=9&timeoutSeconds=n`,
    ]);
    // Two watches that ended at once: nothing is wrong, and still it does not storm.
    expect([seen.waits, seen.troubles]).toEqual([[500, 1_000], []]);
  });

  it.each([
    ['seconds', refusal(429, { 'retry-after': '5' })],
    [
      'a date',
      refusal(503, {
        'retry-after': 'Mon, 15 Jun 2026 12:00:05 GMT',
        date: 'Mon, 15 Jun 2026 12:00:00 GMT',
      }),
    ],
    [
      'an event of the watch',
      ok(lines({ type: 'ERROR', object: { code: 429, message: 'no', details: { retryAfterSeconds: 5 } } })),
    ],
  ])('waits as long as it tells, which is as long as it was asked to: %s', async (_, reply) => {
    const { waits, troubles } = await watch([ok(list('1')), reply, reply, reply]);
    expect(waits).toEqual([5_500, 6_000, 7_000]);
    expect(troubles.map(({ retryInMs }) => retryInMs)).toEqual(waits);
  });

  it('keeps no more objects than it may, whatever the API server sends', async () => {
    const many = ['a', 'b', 'c'].map((name) => object(name, '1'));
    const added = many.map((one) => ({ type: 'ADDED', object: one }));
    const { told, troubles } = await watch([ok(list('5', ...many)), ok(list('6')), ok(lines(...added))], {
      most: 2,
    });
    expect(told).toEqual(['a@1', 'b@1', '-ns/a', '-ns/b', 'listed', 'a@1', 'b@1']);
    expect(troubles.map(({ error }) => error.message)).toEqual(Array(2).fill('/c has more than 2 objects'));
  });

  it('keeps no more bytes of names than it may, and gives back those of what is gone', async () => {
    const long = (letter: string) => object(letter.repeat(200), '1');
    const { told, troubles } = await watch(
      [
        ok(list('5', long('a'), long('b'))),
        ok(lines({ type: 'DELETED', object: long('a') }, { type: 'ADDED', object: long('c') })),
        ok(lines({ type: 'ADDED', object: long('d') })),
      ],
      { mostBytes: 600 },
    );
    expect(told.map((text) => text.replace(/(\w)\1+/, '$1'))).toEqual([
      'a@1',
      'b@1',
      'listed',
      '-ns/a',
      'c@1',
    ]);
    expect(troubles.map(({ error }) => error.message)).toEqual([
      '/c has objects with more than 600 bytes of names',
    ]);
  });

  it.each([
    ['a name without an end', object('x'.repeat(256 * 1024), '2')],
    [
      'a namespace without an end',
      { metadata: { namespace: 'x'.repeat(254), name: 'a', resourceVersion: '2' } },
    ],
    ['a version without an end', object('x', '2'.repeat(256 * 1024))],
    ['a name that is no text', { metadata: { name: { x: 1 } } } as unknown as KubeObject],
  ])('takes none that has %s', async (_, bad) => {
    const { told, troubles, ignored, asked } = await watch([
      ok(list('5', bad, object('a', '1'))),
      ok(lines({ type: 'ADDED', object: bad }, { type: 'ADDED', object: object('b', '6') })),
      ok(''),
    ]);
    expect([told, troubles]).toEqual([['a@1', 'listed', 'b@6'], []]);
    expect(ignored).toEqual(['/c has an object with an endless name or version']);
    expect(Math.max(...asked.map((path) => path.length))).toBeLessThan(200);
  });

  it.each([-1, Number.MAX_VALUE, 'x', null, {}])(
    'does not storm where it is told to wait %s',
    async (wish) => {
      const error = { code: 429, message: 'x'.repeat(1_000_000), details: { retryAfterSeconds: wish } };
      const { waits, troubles } = await watch([
        ok(list('1')),
        ok(lines({ type: 'ERROR', object: error })),
        ok(''),
      ]);
      expect(waits[0]).toBeGreaterThanOrEqual(500);
      expect(waits[0]).toBeLessThanOrEqual(605_000);
      expect(troubles[0]?.error.message.length).toBeLessThan(1_100);
    },
  );

  it('takes no version of a list without an end', async () => {
    const { told, troubles } = await watch([ok(list('5'.repeat(100))), ok(list('6')), ok('')]);
    expect(told).toEqual(['listed']);
    expect(troubles.map(({ error }) => error.message)).toEqual(['/c: the list has no usable version']);
  });

  it('waits longer each time, also when each attempt takes long', async () => {
    const replies = Array.from({ length: 8 }, () => refusal(500));
    const { waits, informer } = await watch(replies, { atReply: 10_000 });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect([informer.lists, informer.watches]).toEqual([0, 0]);
  });

  it('lists as the first time until a list was whole', async () => {
    const { asked, informer, told } = await watch([
      refusal(503),
      ok('{"items":[{"metadata":{"namespace":"ns","name":"a","resourceVersion":"3"}},'),
      ok(list('5', object('a', '3'))),
      ok(''),
    ]);
    expect(asked.slice(0, 3)).toEqual(Array(3).fill('/c?resourceVersion=0'));
    expect(informer.lists).toBe(1);
    expect(told).toEqual(['a@3', 'listed']);
  });

  it.each([
    ['an answer', refusal(410)],
    ['an event', ok(lines({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } }))],
  ])('starts over where its version was forgotten, and tells what is gone: %s', async (_, forgotten) => {
    const { asked, told, informer } = await watch([
      ok(list('5', object('a', '3'), object('b', '4'))),
      forgotten,
      ok({ ...list('8', object('a', '3')), metadata: { resourceVersion: '8', continue: 'more' } }),
      ok(list('8', object('c', '7'))),
      ok(''),
    ]);
    expect(told).toEqual(['a@3', 'b@4', 'listed', 'c@7', '-ns/b', 'listed']);
    expect(asked.slice(2)).toEqual([
      '/c?limit=500',
      '/c?limit=500&continue=more',
      `/c?${WATCH}&resourceVersion=8&timeoutSeconds=n`,
    ]);
    expect([informer.lists, informer.watches]).toEqual([2, 2]);
  });

  it('takes up a watch at once that lasted and was ended as it should be', async () => {
    const event = (version: string) => ok(lines({ type: 'MODIFIED', object: object('a', version) }));
    const seen = await watch([ok(list('5')), event('6'), event('7'), ok('')], { atEvent: 6_000 });
    expect([seen.informer.watches, seen.told]).toEqual([3, ['listed', 'a@6', 'a@7']]);
    expect([seen.waits, seen.troubles]).toEqual([[500], []]);
  });
});

describe('an informer whose watch stays open', () => {
  type Answer = (answer: ServerResponse) => void;
  const server = createServer((_, answer) => (script.shift() ?? open)(answer));
  let script: Answer[] = [];
  let client: KubeClient;
  const open: Answer = (answer) => answer.flushHeaders();
  const listing: Answer = (answer) => answer.end(JSON.stringify(list('5', object('a', '3'))));

  beforeEach(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client = new KubeClient({ server: url, namespace: 'ns' });
  });
  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Resolves when the last of `answers` is being given. */
  async function begin(answers: Answer[], options: InformerOptions = {}) {
    script = answers;
    const record = recorder();
    const clock = { now: () => 0, pause: async () => {} };
    const informer = new Informer(client, '/c', record.handlers, { clock, ...options });
    informer.start();
    while (script.length > 0) await sleep(2);
    return { informer, ...record };
  }

  it('ends one on which nothing is heard, and begins another', async () => {
    const { informer, troubles } = await begin([listing, open, open], { silenceMs: 30 });
    await informer.stop();
    expect(troubles[0]?.error).toMatchObject({
      reason: 'Silent',
      message: 'nothing was heard on the watch of /c for 30 ms',
    });
  });

  it('goes on behind the last whole event of one that was cut off', async () => {
    const cut: Answer = (answer) => {
      const [whole, torn] = ['b', 'c'].map((name) => lines({ type: 'ADDED', object: object(name, '6') }));
      answer.write(`${whole}${torn?.slice(0, 30)}`, () => answer.socket?.destroy());
    };
    const { informer, told, troubles } = await begin([listing, cut, open]);
    await informer.stop();
    expect(told).toEqual(['a@3', 'listed', 'b@6']);
    expect(troubles).toHaveLength(1);
  });

  it('stops at once, and tells no trouble', async () => {
    const { informer, troubles } = await begin([listing, open]);
    await informer.stop();
    expect([informer.watches, troubles]).toEqual([1, []]);
  });
});
