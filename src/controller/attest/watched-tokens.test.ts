import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { StoreBusy } from '../store/store.ts';
import { type TokenSecret, USED_ANNOTATION } from './kubernetes-tokens.ts';
import { makeToken, TokenAttestor } from './token.ts';
import { WatchedTokens } from './watched-tokens.ts';

/** An API server with one token; the case `hostile` has a real one. */
class Server {
  requests: string[] = [];
  secret: TokenSecret;
  trouble: KubeError | undefined;
  readonly token: string;

  constructor(uses: number | undefined) {
    const { token, record } = makeToken({
      ...{ namespace: 'ns', expiresAt: Date.now() + 60_000 },
      ...(uses === undefined ? {} : { uses }),
    });
    this.token = token;
    this.secret = {
      metadata: { namespace: 'c', name: `slipway-token-${record.id}`, resourceVersion: '1' },
      data: { record: Buffer.from(JSON.stringify(record)).toString('base64') },
    };
  }

  async replica(): Promise<WatchedTokens> {
    const request = async (method: string, _: string, { body }: { body?: TokenSecret } = {}) => {
      this.requests.push(method);
      await Promise.resolve();
      if (this.trouble) throw this.trouble;
      if (method === 'PATCH') this.#patch(body as TokenSecret);
      return this.secret;
    };
    const stream = async (
      _: string,
      { query, signal }: { query: { watch?: boolean }; signal: AbortSignal },
    ) =>
      query.watch
        ? new Readable({ signal, read: () => {} })
        : Readable.from([
            Buffer.from(
              JSON.stringify({ kind: 'List', metadata: { resourceVersion: '1' }, items: [this.secret] }),
            ),
          ]);
    const tokens = new WatchedTokens({ request, stream } as unknown as KubeClient, 'c', () => {});
    await tokens.start();
    return tokens;
  }

  #patch({ metadata, data }: TokenSecret): void {
    const { resourceVersion, annotations } = this.secret.metadata;
    if (metadata.resourceVersion !== resourceVersion) throw new KubeError(409, 'Conflict', 'written since');
    this.secret = {
      ...this.secret,
      data: { ...this.secret.data, ...data },
      metadata: {
        ...this.secret.metadata,
        annotations: { ...annotations, ...metadata.annotations },
        resourceVersion: String(Number(resourceVersion) + 1),
      },
    };
  }
}

const id = (token: string): string => token.split('.')[1] ?? '';

it('counts uses over replicas exactly, and few writes where there are many', async () => {
  for (const uses of [5, 400]) {
    const server = new Server(uses);
    const replicas = [await server.replica(), await server.replica()];
    const taken = await Promise.all(
      Array.from({ length: uses + 30 }, (_, at) => replicas[at % 2]?.take(id(server.token))),
    );
    // What one replica has counted and not made is at most a step.
    const made = taken.filter(Boolean).length;
    expect(made).toBeLessThanOrEqual(uses);
    expect(made).toBeGreaterThan(uses - 20);
    expect(Number(server.secret.metadata.annotations?.[USED_ANNOTATION])).toBe(uses);
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(Number(server.secret.metadata.annotations?.[USED_ANNOTATION])).toBe(made);
    expect(server.requests.length).toBeLessThan(uses === 5 ? 60 : 300);
  }
});

it('gives a use back that came to nothing, and writes nothing for a token without a number', async () => {
  const server = new Server(1);
  const tokens = await server.replica();
  expect(await tokens.take(id(server.token))).toBe(true);
  expect(await tokens.take(id(server.token))).toBe(false);
  tokens.giveBack(id(server.token));
  expect(await tokens.take(id(server.token))).toBe(true);
  const free = new Server(undefined);
  const unbounded = await free.replica();
  for (let i = 0; i < 3; i += 1) expect(await unbounded.take(id(free.token))).toBe(true);
  expect(free.requests).toEqual([]);
});

it('begins the uses anew with a renewal, and what was counted ahead counts no longer', async () => {
  const server = new Server(40);
  const tokens = await server.replica();
  for (let count = 0; count < 40; count += 1) expect(await tokens.take(id(server.token))).toBe(true);
  tokens.giveBack(id(server.token));
  const [record] = tokens.all();
  if (!record) throw new Error('it knows no token');
  const late = await server.replica();
  expect(await tokens.renew({ ...record, hash: 'a'.repeat(64) })).toBe(true);
  for (let count = 0; count < 40; count += 1) expect(await tokens.take(id(server.token))).toBe(true);
  expect(await tokens.take(id(server.token))).toBe(false);
  // Another replica was slower.
  expect(await late.renew({ ...record, hash: 'b'.repeat(64) })).toBe(false);
  expect(await tokens.renew({ ...record, id: 'abcdefghij' })).toBe(false);
});

it('asks the API server nothing for a guess', async () => {
  const server = new Server(1);
  const attestor = new TokenAttestor(await server.replica());
  const evidence = { machine: { instance: 'i', hostname: 'h' }, csr: '', channel: new Uint8Array() };
  for (let at = 0; at < 50; at += 1) {
    const token = `slwt.guess${String.fromCharCode(97 + (at % 26)).repeat(5)}.${'A'.repeat(32)}`;
    await expect(attestor.attest({ ...evidence, token })).rejects.toThrow(/there is no token/);
  }
  expect(server.requests).toEqual([]);
  expect((await attestor.attest({ ...evidence, token: server.token }))?.method).toBe('pool-token');
});

it('lets nobody in while a use cannot be counted', async () => {
  const server = new Server(1);
  const tokens = await server.replica();
  server.trouble = new KubeError(0, 'Unreachable', 'no');
  await expect(tokens.take(id(server.token))).rejects.toBeInstanceOf(StoreBusy);
});
