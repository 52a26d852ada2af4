import { addAbortSignal, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Access } from '../kube/access.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { RULES, TestWorld } from './fixtures/world.ts';
import { Workloads } from './workloads.ts';

// Secrets are read again after minutes, so the clock is the test's own; the case `approve` has real servers.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A cluster's Secret, and who was connected to by it. */
class Home {
  secret: string | undefined;
  readonly asked: string[] = [];
  readonly connected: string[] = [];
  readonly closed: string[] = [];
  readonly log: string[] = [];
  readonly workloads: Workloads;

  constructor() {
    const { members, directory } = new TestWorld();
    const request = async (_: string, path: string): Promise<unknown> => {
      this.asked.push(path);
      if (this.secret === undefined) throw new KubeError(404, 'NotFound', 'no such Secret');
      return { data: { value: Buffer.from(this.secret).toString('base64') } };
    };
    this.workloads = new Workloads({
      ...{
        home: { request } as unknown as KubeClient,
        suffix: '-kubeconfig',
        allowed: { proxies: [] },
        rules: RULES,
        members,
        directory,
      },
      connect: ({ server }) => this.#connect(server),
      ...{ denied: () => undefined, refresh: async () => undefined },
      log: createLog((line) => this.log.push(line)),
    });
  }

  #connect({ host }: Access['server']): KubeClient {
    this.connected.push(host);
    const list = '{"kind":"List","metadata":{"resourceVersion":"1"},"items":[]}';
    const stream = async (
      _: string,
      { query, signal }: { query: { watch?: boolean }; signal: AbortSignal },
    ): Promise<Readable> => {
      if (!query.watch) return Readable.from([Buffer.from(list)]);
      return addAbortSignal(signal, new Readable({ read() {} }));
    };
    const request = async (): Promise<never> => {
      throw new KubeError(404, 'NotFound', 'nothing there');
    };
    return { stream, request, close: () => this.closed.push(host) } as unknown as KubeClient;
  }

  put(server: string, user: object = { token: 't' }): void {
    this.secret = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server } }],
      users: [{ name: 'u', user }],
    });
  }
}

it('connects to a cluster by its Secret as soon as there is one, and anew when that has changed', async () => {
  const home = new Home();
  home.workloads.want('default/c');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(home.connected).toEqual([]);
  expect(home.asked[0]).toBe('/api/v1/namespaces/default/secrets/c-kubeconfig');
  expect(home.log.join('')).toMatch(/kubeconfig cannot be used.*no such Secret/);
  home.put('https://one:6443');
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(home.connected).toEqual(['one:6443']);
  home.put('https://two:6443');
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(home.connected).toEqual(['one:6443', 'two:6443']);
  expect(home.closed).toEqual(['one:6443']);
  await home.workloads.drop('default/c');
  expect(home.closed).toEqual(['one:6443', 'two:6443']);
  const reads = home.asked.length;
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(home.asked.length).toBe(reads);
});

it('stays with what it has where a newer kubeconfig is no good', async () => {
  const home = new Home();
  home.put('https://one:6443');
  home.workloads.want('default/c');
  await vi.advanceTimersByTimeAsync(1_000);
  home.put('https://two:6443', { exec: { command: 'sh', apiVersion: 'x' } });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(home.connected).toEqual(['one:6443']);
  expect(home.closed).toEqual([]);
  expect(home.log.join('')).toMatch(/the kubeconfig of default\/c names a command/);
  await home.workloads.stop();
});

it("follows no Cluster whose name would lead to another's Secret", async () => {
  const home = new Home();
  for (const name of ['default/../../x', 'default/a/b', 'default/a?b', 'default/']) home.workloads.want(name);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(home.asked).toEqual([]);
  await home.workloads.stop();
});

it('reads a kubeconfig that cannot be used once, however often it is there', async () => {
  const home = new Home();
  // Reading this took more than a minute once.
  home.secret = '? '.repeat(600);
  home.workloads.want('default/c');
  const began = process.cpuUsage();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  expect(home.log.join('')).toMatch(/kubeconfig cannot be used.*is no kubeconfig: .*more than 32 levels/);
  home.put('https://one:6443');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(home.connected).toEqual(['one:6443']);
  await home.workloads.stop();
});

it('connects through no proxy that nobody has allowed, and to no address of its own', async () => {
  const home = new Home();
  home.secret = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://one:6443', 'proxy-url': 'http://169.254.169.254' } }],
    users: [{ name: 'u', user: {} }],
  });
  home.workloads.want('default/c');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(home.connected).toEqual([]);
  expect(home.log.join('')).toMatch(
    /names the proxy http:\/\/169\.254\.169\.254:80, which nobody has allowed/,
  );
  await home.workloads.stop();
});
