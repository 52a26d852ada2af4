import { MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient, type Method, type RequestOptions } from './client.ts';
import type { Clock } from './clock.ts';
import { KubeError } from './kube-error.ts';
import { Leadership } from './lease.ts';

const server = new URL('https://api.example');
const PATH = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';

/** A clock whose waits the test ends, one at a time. */
class SteppedClock implements Clock {
  at = 0;
  #waiting: { ms: number; resolve: () => void } | undefined;
  #asked = Promise.withResolvers<void>();

  now(): number {
    return this.at;
  }

  pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { ms, resolve };
      signal.addEventListener('abort', () => resolve());
      this.#asked.resolve();
    });
  }

  /** Until the replica waits. */
  async settled(): Promise<void> {
    await this.#asked.promise;
  }

  /** Lets what it waits for pass, then until it waits again. */
  async step(): Promise<void> {
    await this.settled();
    const { ms, resolve } = this.#waiting ?? { ms: 0, resolve: () => {} };
    this.#asked = Promise.withResolvers<void>();
    this.at += ms;
    resolve();
    await this.settled();
  }
}

interface Replica {
  clock: SteppedClock;
  leadership: Leadership;
  told: boolean[];
}

function replica(identity: string, client: KubeClient): Replica {
  const clock = new SteppedClock();
  const told: boolean[] = [];
  const options = { namespace: 'ns', name: 'l', identity, random: () => 0.5, clock };
  return { clock, told, leadership: new Leadership(client, options, (leads) => told.push(leads)) };
}

describe('leadership by a Lease', () => {
  let agent: MockAgent;
  let lease:
    | { metadata: { name: string; resourceVersion: string }; spec: Record<string, unknown> }
    | undefined;
  let isAway = false;
  let client: KubeClient;

  beforeEach(() => {
    lease = undefined;
    isAway = false;
    agent = new MockAgent();
    agent.disableNetConnect();
    client = new KubeClient({ server, namespace: 'ns' }, agent);
    // As the API server does it: who writes must have read the last version.
    const store = (body: unknown): { statusCode: number; data: object } => {
      const wanted = JSON.parse(String(body)) as NonNullable<typeof lease>;
      const { resourceVersion } = lease?.metadata ?? {};
      if (isAway) return { statusCode: 503, data: {} };
      if (wanted.metadata.resourceVersion !== resourceVersion) return { statusCode: 409, data: {} };
      lease = { ...wanted, metadata: { name: 'l', resourceVersion: `${Number(resourceVersion ?? 0) + 1}` } };
      return { statusCode: 200, data: lease };
    };
    const pool = agent.get(server.origin);
    const get = () => ({ statusCode: isAway ? 503 : lease ? 200 : 404, data: lease ?? {} });
    pool
      .intercept({ method: 'GET', path: `${PATH}/l` })
      .reply(get)
      .persist();
    const put = { method: 'PUT', path: `${PATH}/l` };
    pool
      .intercept(put)
      .reply(({ body }) => store(body))
      .persist();
    pool
      .intercept({ method: 'POST', path: PATH })
      .reply(({ body }) => store(body))
      .persist();
  });
  afterEach(() => agent.close());

  it('is the first one that asks, who renews it', async () => {
    const { clock, leadership, told } = replica('a', client);
    leadership.start();
    await clock.settled();
    expect(lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    for (let i = 0; i < 20; i += 1) await clock.step();
    expect([told, clock.at, lease?.metadata.resourceVersion]).toEqual([[true], 40_000, '21']);
    await leadership.stop();
    expect([told, lease?.spec.holderIdentity]).toEqual([[true, false], '']);
  });

  it('goes to another when the holder stops, at once', async () => {
    const [a, b] = [replica('a', client), replica('b', client)];
    a.leadership.start();
    await a.clock.settled();
    b.leadership.start();
    await b.clock.step();
    expect(b.leadership.leads).toBe(false);
    await a.leadership.stop();
    await b.clock.step();
    expect([a.told, b.told]).toEqual([[true, false], [true]]);
    expect(lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await b.leadership.stop();
  });

  it('goes to another when the record has not changed for its duration by the own clock, not before', async () => {
    const [a, b] = [replica('a', client), replica('b', client)];
    // Whatever the holder wrote as the time of its renewal.
    b.clock.at = 1_000_000_000;
    a.leadership.start();
    await a.clock.settled();
    b.leadership.start();
    await b.clock.settled();
    for (let i = 0; i < 7; i += 1) await b.clock.step();
    expect([b.clock.at, b.leadership.leads]).toEqual([1_000_014_000, false]);
    await b.clock.step();
    expect([b.clock.at, b.leadership.leads]).toEqual([1_000_016_000, true]);
    // The old holder comes back and sees it.
    await a.clock.step();
    expect([a.told, b.told]).toEqual([[true, false], [true]]);
    await Promise.all([a.leadership.stop(), b.leadership.stop()]);
    expect(lease?.spec).toMatchObject({ holderIdentity: '' });
  });

  it('outlasts an API server that is away for less than two thirds of it', async () => {
    const { clock, leadership, told } = replica('a', client);
    leadership.start();
    await clock.step();
    isAway = true;
    for (let i = 0; i < 4; i += 1) await clock.step();
    isAway = false;
    await clock.step();
    expect([clock.at, told]).toEqual([12_000, [true]]);
    isAway = true;
    for (let i = 0; i < 5; i += 1) await clock.step();
    expect([clock.at, told]).toEqual([22_000, [true, false]]);
    await leadership.stop();
  });
});

/** Answers the first renewals; then a request takes all the time that it is given. */
class HangingClient extends KubeClient {
  hangs = false;
  readonly #clock: () => SteppedClock;
  #lease: unknown;

  constructor(clock: () => SteppedClock) {
    super({ server, namespace: 'ns' }, new MockAgent());
    this.#clock = clock;
  }

  override async request<T>(
    method: Method,
    _: string,
    { body, timeoutMs = 0 }: RequestOptions = {},
  ): Promise<T> {
    if (this.hangs && method !== 'GET') {
      this.#clock().at += timeoutMs;
      throw new KubeError(0, 'Timeout', 'no answer');
    }
    // Slow, but there.
    if (this.hangs) this.#clock().at += Math.min(timeoutMs, 4_000);
    if (!this.#lease && method === 'GET') throw new KubeError(404, 'NotFound', 'none yet');
    if (method !== 'GET') this.#lease = body;
    return this.#lease as T;
  }
}

it('is given up by a holder that hears nothing before another may take it, whatever its requests wait for', async () => {
  const client: HangingClient = new HangingClient(() => holder.clock);
  const holder = replica('a', client);
  holder.leadership.start();
  await holder.clock.settled();
  client.hangs = true;
  while (holder.leadership.leads) await holder.clock.step();
  expect(holder.clock.at).toBeLessThanOrEqual(10_001);
  await holder.leadership.stop();
});

it('does not wait for an answer when it is to stop', async () => {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const hanging = agent.get(server.origin).intercept({ method: 'GET', path: `${PATH}/l` });
  const asked = Promise.withResolvers<void>();
  const answer = () => {
    asked.resolve();
    return { statusCode: 200, data: {} };
  };
  hanging.reply(answer).delay(60_000);
  const { leadership, told } = replica('a', new KubeClient({ server, namespace: 'ns' }, agent));
  leadership.start();
  await asked.promise;
  await leadership.stop();
  expect(told).toEqual([]);
  await agent.close();
});
