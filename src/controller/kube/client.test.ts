import { setTimeout as sleep } from 'node:timers/promises';
import { MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import type { KubeError } from './kube-error.ts';
import { TENANT } from './untrusted/limits.ts';

const server = new URL('https://api.example:6443/prefix/');

describe('KubeClient', () => {
  let agent: MockAgent;
  beforeEach(() => {
    agent = new MockAgent();
    agent.disableNetConnect();
  });
  afterEach(() => agent.close());

  const client = (token?: (refused?: string) => string | undefined) =>
    new KubeClient({ server, namespace: 'ns', ...(token ? { token } : {}) }, agent);
  const api = (method: string, path: string) => agent.get(server.origin).intercept({ method, path });
  const failure = async (request: Promise<unknown>): Promise<KubeError> =>
    request.then(
      () => expect.unreachable('it should have failed'),
      (error) => error as KubeError,
    );

  it('sends what it is told, as whom it is told, and reads the answer', async () => {
    const seen: { headers?: unknown; body?: unknown }[] = [];
    api('PATCH', '/prefix/a/b?force=true&x=1').reply(200, ({ headers, body }) => {
      seen.push({ headers, body });
      return { kind: 'A' };
    });
    const asked = client(() => 'secret');
    const answer = await asked.request('PATCH', '/a/b', {
      query: { force: true, x: 1, left: undefined },
      body: { text: 'ü' },
      contentType: 'application/merge-patch+json',
    });
    expect([answer, asked.writes]).toEqual([{ kind: 'A' }, 1]);
    expect(seen).toEqual([
      {
        headers: {
          accept: 'application/json',
          'user-agent': 'slipway-controller',
          'content-type': 'application/merge-patch+json',
          authorization: 'Bearer secret',
        },
        body: '{"text":"ü"}',
      },
    ]);
    api('GET', '/prefix/empty').reply(200, '');
    expect(await asked.request('GET', '/empty')).toBeUndefined();
  });

  it('says what the API server said', async () => {
    const status = { kind: 'Status', reason: 'AlreadyExists', message: 'there is one' };
    api('POST', '/prefix/a').reply(409, status);
    expect(await failure(client().request('POST', '/a', { body: {} }))).toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
      message: 'POST /a: there is one',
      passing: false,
      retryAfterMs: undefined,
    });
    api('GET', '/prefix/a').reply(502, 'Bad Gateway');
    expect(await failure(client().request('GET', '/a'))).toMatchObject({
      status: 502,
      reason: 'HTTP502',
      message: 'GET /a: Bad Gateway',
      passing: true,
    });
  });

  it.each([
    [429, { 'retry-after': '5' }, 5_000],
    [503, { 'retry-after': 'Mon, 15 Jun 2026 12:00:30 GMT', date: 'Mon, 15 Jun 2026 12:00:00 GMT' }, 30_000],
    [503, { 'retry-after': 'soon' }, undefined],
    [429, {}, undefined],
  ])('tells how long to wait: %s %o', async (status, headers, wait) => {
    api('GET', '/prefix/a').reply(status, 'busy', { headers });
    expect(await failure(client().request('GET', '/a'))).toMatchObject({ status, retryAfterMs: wait });
  });

  it('asks again with another token where the API server does not take the first', async () => {
    const tokens: string[] = [];
    const answer = ({ headers }: { headers?: unknown }) => {
      const { authorization } = headers as Record<string, string>;
      tokens.push(authorization ?? '');
      return { statusCode: authorization === 'Bearer new' ? 200 : 401, data: { kind: 'Any' } };
    };
    api('GET', '/prefix/a').reply(answer).persist();
    const renewed = client((refused) => (refused === 'old' ? 'new' : 'old'));
    expect(await renewed.request('GET', '/a')).toEqual({ kind: 'Any' });
    expect(tokens.splice(0)).toEqual(['Bearer old', 'Bearer new']);
    const stream = await renewed.stream('/a', { signal: new AbortController().signal });
    const pieces: unknown[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces).toHaveLength(1);
    expect(tokens.splice(0)).toEqual(['Bearer old', 'Bearer new']);
    expect(await failure(client(() => 'old').request('GET', '/a'))).toMatchObject({ status: 401 });
    expect(tokens).toEqual(['Bearer old']);
  });

  it('does not read an answer without an end', async () => {
    api('GET', '/prefix/a').reply(200, Buffer.alloc(64 * 1024 * 1024 + 1, 0x20));
    expect(await failure(client().request('GET', '/a'))).toMatchObject({
      status: 0,
      message: 'GET /a: the answer has more than 67108864 bytes',
    });
  });

  it('waits no longer than it may', async () => {
    api('GET', '/prefix/a').reply(200, {}).delay(60_000).times(2);
    const late = { status: 0, reason: 'Timeout', message: 'GET /a: no answer within 20 ms', passing: true };
    expect(await failure(client().request('GET', '/a', { timeoutMs: 20 }))).toMatchObject(late);
    const { signal } = new AbortController();
    expect(await failure(client().stream('/a', { timeoutMs: 20, signal }))).toMatchObject(late);
  });

  it('ends at once when it is told to', async () => {
    api('GET', '/prefix/a').reply(200, {}).delay(60_000).times(2);
    const stop = new AbortController();
    const asked = [
      failure(client().request('GET', '/a', { signal: stop.signal })),
      failure(client().stream('/a', { signal: stop.signal })),
    ];
    await sleep(1);
    stop.abort();
    for (const error of await Promise.all(asked)) expect(error).toMatchObject({ reason: 'Unreachable' });
    const after = client().request('GET', '/a', { signal: stop.signal });
    expect(await failure(after)).toMatchObject({ status: 0, reason: 'Unreachable' });
  });

  it('says why there was no answer, also where the error has a code alone', async () => {
    api('GET', '/prefix/a').replyWithError(new Error('connect ECONNREFUSED 10.0.0.1:6443'));
    expect(await failure(client().request('GET', '/a'))).toMatchObject({
      status: 0,
      reason: 'Unreachable',
      message: 'GET /a: connect ECONNREFUSED 10.0.0.1:6443',
    });
    api('GET', '/prefix/a').replyWithError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    expect((await failure(client().request('GET', '/a'))).message).toBe('GET /a: ECONNREFUSED');
  });
});

describe("a client of a tenant's API server", () => {
  let agent: MockAgent;
  beforeEach(() => {
    agent = new MockAgent();
    agent.disableNetConnect();
  });
  afterEach(() => agent.close());

  const client = () => new KubeClient({ server, namespace: 'ns', limits: TENANT }, agent);
  const get = () => agent.get(server.origin).intercept({ path: '/prefix/a' });

  it('takes no answer that is larger than any that we ask for', async () => {
    get().reply(200, JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) }));
    await expect(client().request('GET', '/a')).rejects.toThrow(/the answer has more than 2097152 bytes/);
  });

  it.each([301, 302, 307, 308])('follows no redirect: %s', async (status) => {
    let others = 0;
    agent
      .get('http://169.254.169.254')
      .intercept({ path: () => true })
      .reply(() => {
        others += 1;
        return { statusCode: 200, data: {} };
      })
      .persist();
    get().reply(status, '{}', { headers: { location: 'http://169.254.169.254/latest' } });
    await expect(client().request('GET', '/a')).rejects.toThrow(/redirects are not followed/);
    expect(others).toBe(0);
  });

  it('says no more of a refusal than a page', async () => {
    get().reply(403, { message: 'x'.repeat(500_000), reason: 'y'.repeat(10_000) });
    const error = await client()
      .request('GET', '/a')
      .catch((refused: KubeError) => refused);
    expect(error).toMatchObject({
      status: 403,
      message: expect.stringMatching(/^GET \/a: x+ \.\.\. \(cut\)$/),
    });
    expect((error as KubeError).message.length).toBeLessThan(1_100);
    expect((error as KubeError).reason.length).toBe(100);
    get().reply(500, JSON.stringify({ message: { not: 'a text' }, reason: 7 }));
    await expect(client().request('GET', '/a')).rejects.toThrow(/GET \/a: /);
    get().reply(500, 'x'.repeat(2 * 1024 * 1024));
    await expect(client().request('GET', '/a')).rejects.toThrow(/the answer has more than 1048576 bytes/);
  });
});
