import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeToken, type TokenRecord } from '../attest/token.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { RenewalList } from './renewal-list.ts';
import { RenewalWriter } from './renewal-writer.ts';
import { TokenRenewer } from './token-renewer.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [FIRST, SECOND] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;

/** The API server, a controller that leads, and a minter. */
class World {
  readonly records = new Map<string, TokenRecord>();
  /** Of the ConfigMap. */
  data: Record<string, string> = {};
  /** Tokens in Secrets, by `namespace/name`. */
  readonly secrets = new Map<string, string>();
  refusal: KubeError | undefined;
  writes = 0;
  log = '';
  keys: Uint8Array[] = [FIRST];
  readonly renewer: TokenRenewer;
  writer: RenewalWriter;

  constructor() {
    const log = createLog((line) => {
      this.log += line;
    });
    this.renewer = new TokenRenewer({
      ...{ log, keys: () => this.keys, list: new RenewalList(this.#client, 'c') },
      tokens: {
        all: () => this.records.values(),
        renew: async (record) => {
          this.records.set(record.id, record);
          return true;
        },
      },
    });
    this.writer = this.newWriter();
    this.renewer.lead(true);
  }

  newWriter(): RenewalWriter {
    const log = createLog((line) => {
      this.log += line;
    });
    return new RenewalWriter({
      ...{ client: this.#client, log, keys: () => this.keys },
      list: new RenewalList(this.#client, 'c'),
    });
  }

  get #client(): KubeClient {
    type Body = { data: Record<string, string | null> };
    const request = async (
      method: string,
      path: string,
      { body }: { body?: Body } = {},
    ): Promise<unknown> => {
      if (path === '/api/v1/namespaces/c/configmaps/slipway-token-renewals') {
        for (const [key, value] of Object.entries(body?.data ?? {})) {
          if (value === null) delete this.data[key];
          else this.data[key] = value;
        }
        return { data: { ...this.data } };
      }
      const [, namespace, name] = /^\/api\/v1\/namespaces\/(\w+)\/secrets\/([\w-]+)$/.exec(path) ?? [];
      expect(method, path).toBe('PATCH');
      this.writes += 1;
      if (this.refusal) throw this.refusal;
      const token = Buffer.from(body?.data.token ?? '', 'base64').toString();
      this.secrets.set(`${namespace}/${name}`, token);
      return {};
    };
    return { request } as unknown as KubeClient;
  }

  /** As `token create --secret` does. */
  create(secret = 'pool', since = Date.now()): string {
    const renewal = { secret, lifetimeMs: DAY, since };
    const made = makeToken({ namespace: 'ns', expiresAt: Date.now() + DAY, uses: 100, renewal });
    this.records.set(made.record.id, made.record);
    this.secrets.set(`ns/${secret}`, made.token);
    return made.token;
  }

  record(token: string): TokenRecord {
    return this.records.get(token.split('.')[1] ?? '') as TokenRecord;
  }

  /** How long the token in a Secret will count: a machine may take it at any moment. */
  leftMs(secret: string): number {
    const token = this.secrets.get(secret) ?? '';
    const { previous, ...record } = this.record(token);
    const known = [record, previous].find((one) => one?.hash === hashOf(token));
    return (known?.expiresAt ?? 0) - Date.now();
  }

  pass(ms: number): Promise<unknown> {
    return vi.advanceTimersByTimeAsync(ms);
  }
}

const hashOf = (token = ''): string => createHash('sha256').update(token).digest('hex');

describe('renewal of the tokens in Secrets of templates', () => {
  it('makes the next one at two thirds of its life; the one before counts until its end', async () => {
    const world = new World();
    const before = world.create();
    const { expiresAt } = world.record(before);
    await world.pass(16 * HOUR - 30_000);
    expect(world.secrets.get('ns/pool')).toBe(before);
    await world.pass(60_000);
    const after = world.secrets.get('ns/pool') ?? '';
    expect(after).not.toBe(before);
    expect(after).toMatch(/^slwt\.[a-z2-7]{10}\.[A-Za-z0-9_-]{32}$/);
    expect(world.record(before)).toMatchObject({
      ...{ hash: hashOf(after), previous: { hash: hashOf(before), expiresAt }, uses: 100 },
    });
    expect(world.record(before).expiresAt).toBeGreaterThan(Date.now() + DAY - 60_000);
    // No secret lies in the ConfigMap or the log.
    for (const token of [before, after])
      expect(JSON.stringify(world.data) + world.log).not.toContain(token.split('.')[2]);
  });

  it('goes on for days, and after the controller was away', async () => {
    const world = new World();
    world.create();
    for (let day = 0; day < 3; day += 1) {
      if (day === 1) {
        world.renewer.lead(false);
        await world.pass(3 * DAY);
        world.renewer.lead(true);
        await world.pass(60_000);
      }
      expect(world.leftMs('ns/pool')).toBeGreaterThan(7 * HOUR);
      await world.pass(DAY);
    }
    expect(Object.keys(world.data)).toHaveLength(2);
  });

  it('renews none that nobody wants renewed, nor an older one for the same Secret, nor what was revoked', async () => {
    const world = new World();
    const free = makeToken({ namespace: 'ns', expiresAt: Date.now() + DAY });
    world.records.set(free.record.id, free.record);
    const old = world.create('pool', Date.now() - 1);
    const present = world.create();
    await world.pass(17 * HOUR);
    expect(world.record(free.token)).toEqual(free.record);
    expect(world.record(old).previous).toBeUndefined();
    expect(world.record(present).previous).toBeDefined();
    world.records.clear();
    await world.pass(20_000);
    expect(world.data).toEqual({});
  });

  it('is written again by a minter that starts, and not all the time by one that runs', async () => {
    const world = new World();
    world.create();
    await world.pass(17 * HOUR);
    expect(world.writes).toBe(1);
    world.secrets.set('ns/pool', 'changed by hand');
    await world.writer.stop();
    world.writer = world.newWriter();
    await world.pass(HOUR);
    expect(world.writes).toBe(2);
    expect(world.secrets.get('ns/pool')).toMatch(/^slwt\./);
  });

  it.each([403, 404, 422])('tells where it may not be written (%s), and tries again', async (status) => {
    const world = new World();
    world.create();
    world.refusal = new KubeError(status, 'No', 'secrets "pool" is forbidden');
    await world.pass(16 * HOUR + 6 * 60_000);
    expect(world.log).toContain('a renewed token could not be put into its Secret');
    expect(world.log).toContain('a renewed token is not in its Secret');
    expect(world.writes).toBeLessThan(4);
    world.refusal = undefined;
    await world.pass(10 * 60_000);
    const token = world.secrets.get('ns/pool') ?? '';
    expect(hashOf(token)).toBe(world.record(token).hash);
  });

  it('lets a rotation of the key pass, and ends at once what comes of a key that was taken away', async () => {
    const world = new World();
    world.create();
    await world.pass(17 * HOUR);
    const renewed = world.secrets.get('ns/pool') ?? '';
    world.keys = [SECOND, FIRST];
    await world.pass(HOUR);
    expect(world.secrets.get('ns/pool')).toBe(renewed);
    world.keys = [SECOND];
    // A replica that has not read the present key yet must not take it for stolen.
    await world.pass(40_000);
    expect(world.secrets.get('ns/pool')).toBe(renewed);
    await world.pass(60_000);
    const next = world.secrets.get('ns/pool') ?? '';
    expect(next).not.toBe(renewed);
    expect(world.record(next)).toMatchObject({ hash: hashOf(next) });
    expect(world.record(next).previous).toBeUndefined();
  });

  it('writes nothing that somebody put into the list and no key of ours made', async () => {
    const world = new World();
    const forged = { namespace: 'ns', secret: 'other', hash: hashOf('x'), expiresAt: Date.now() + DAY };
    world.renewer.lead(false);
    world.data = {
      abcdefghij: JSON.stringify(forged),
      broken: '{',
      path: JSON.stringify({ ...forged, secret: '../x' }),
    };
    await world.pass(HOUR);
    expect(world.writes).toBe(0);
  });
});
