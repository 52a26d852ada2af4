import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeClient } from '../../../src/controller/kube/client.ts';
import { Informer } from '../../../src/controller/kube/informer.ts';
import type { KubeObject } from '../../../src/controller/kube/objects.ts';
import { ADMIN } from '../../support/controller/api-server.ts';
import { MACHINES } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** A watch that falls silent, breaks, or is too old: noticed, taken up where it was, without a storm. */
export async function watching({ cluster, say }: Scene): Promise<void> {
  const target = Number(cluster.api.url.port);
  const proxy = await Network.start(target);
  const access = { ...cluster.api.access(ADMIN), server: new URL(`https://127.0.0.1:${proxy.port}`) };
  const client = new KubeClient(access);
  const seen = new Map<string, number>();
  const troubles: string[] = [];
  const informer = new Informer<KubeObject>(
    client,
    MACHINES,
    {
      changed: ({ metadata }) => void seen.set(metadata.name, (seen.get(metadata.name) ?? 0) + 1),
      gone: (key) => void seen.delete(key.split('/')[1] ?? ''),
      trouble: (error) => void troubles.push(error.message),
    },
    { silenceMs: 1_500, pageSize: 3 },
  );
  const sees = (name: string, here = true): Promise<true> =>
    eventually(`a look at ${name}`, () => seen.has(name) === here);
  try {
    informer.start();
    await sees('good');
    await cluster.createMachine('watched-1');
    await sees('watched-1');

    proxy.frozen = true;
    await cluster.createMachine('watched-2');
    await eventually('the silence to be noticed', () =>
      troubles.some((text) => text.includes('nothing was heard')),
    );
    assert.ok(!seen.has('watched-2'), 'the proxy let something through');
    proxy.thaw();
    await sees('watched-2');
    assert.equal(informer.lists, 1, 'it was taken up where it was');
    assert.equal(seen.get('good'), 1, 'nothing is told twice');
    say('a silent watch is noticed and taken up where it was');

    const before = informer.watches;
    proxy.refusing = true;
    proxy.cut();
    await sleep(4_000);
    // A busy machine makes fewer; that it asks again at all is waited for.
    await eventually('an API server that is away to be asked again', () => proxy.refused >= 2);
    const attempts = proxy.refused;
    assert.ok(attempts < 30, `${attempts} connections, a storm`);
    await cluster.client.request('DELETE', `${MACHINES}/watched-1`);
    proxy.refusing = false;
    await sees('watched-1', false);
    assert.ok(informer.watches - before < 30);
    say(`an API server that is away is asked ${attempts} times, not in a storm`);

    await stoppedBetween(client);
    await tooOld(client, () => cluster.createMachine('watched-3'));
    say('a version that the API server has forgotten (410): everything is listed anew');
  } finally {
    await informer.stop();
    client.close();
    proxy.close();
  }
}

/** Stopped between list and watch, when nothing of it listens. */
async function stoppedBetween(client: KubeClient): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    const listed = Promise.withResolvers<void>();
    const handlers = { changed: () => {}, gone: () => {}, listed: () => listed.resolve(informer.stop()) };
    const informer = new Informer<KubeObject>(client, MACHINES, handlers);
    informer.start();
    const late = sleep(180_000, 'late', { ref: false });
    assert.notEqual(await Promise.race([listed.promise, late]), 'late', 'an informer does not stop');
  }
}

/** An informer that is made to go on from a version of which nobody knows any more. */
async function tooOld(client: KubeClient, change: () => Promise<unknown>): Promise<void> {
  const seen = new Set<string>();
  const troubles: string[] = [];
  const forgetful = Object.create(client) as KubeClient;
  let asked = 0;
  forgetful.request = client.request.bind(client) as KubeClient['request'];
  forgetful.stream = (path, options) => {
    if (options.query?.watch) asked += 1;
    const query =
      options.query?.watch && asked === 1 ? { ...options.query, resourceVersion: '1' } : options.query;
    return client.stream(path, { ...options, ...(query ? { query } : {}) });
  };
  const informer = new Informer<KubeObject>(forgetful, MACHINES, {
    changed: ({ metadata }) => void seen.add(metadata.name),
    gone: () => {},
    trouble: (error) => void troubles.push(error.message),
  });
  informer.start();
  await eventually('another list', () => informer.lists >= 2);
  await change();
  await eventually('what came after it', () => seen.has('watched-3'));
  await informer.stop();
}

/** A network between client and API server that can stand still, refuse, or cut. */
class Network {
  port = 0;
  frozen = false;
  refusing = false;
  refused = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer();

  static async start(target: number): Promise<Network> {
    const proxy = new Network();
    proxy.#server.on('connection', (inside) => proxy.#join(inside, target));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    const address = proxy.#server.address();
    proxy.port = typeof address === 'object' && address ? address.port : 0;
    return proxy;
  }

  /** New connections work again; the old ones stay dead without a word. */
  thaw(): void {
    this.frozen = false;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(inside: Socket, target: number): void {
    if (this.refusing) {
      this.refused += 1;
      inside.destroy();
      return;
    }
    const outside = connect(target, '127.0.0.1');
    let dead = false;
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => {
        dead ||= this.frozen;
        if (!dead) to.write(bytes);
      });
    }
  }
}
