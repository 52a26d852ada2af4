import { linkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { awaitRuntime } from './await-runtime.ts';

describe('awaitRuntime', () => {
  let folder: string;
  let server: Server | undefined;
  let told: string[];
  let docker: boolean;
  /** Where nobody has answered. */
  let answer: string | undefined;
  beforeEach(() => {
    docker = false;
    answer = undefined;
    folder = scratch();
    told = [];
  });
  afterEach(() => {
    server?.close();
    server = undefined;
  });

  const listen = async (): Promise<void> => {
    server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server?.listen(join(folder, 'sock'), resolve));
  };
  /** @param paused called instead of each pause */
  const wait = (
    paused: () => Promise<void>,
    more: { criSocket?: string | undefined; limitMs?: number } = {},
  ) => {
    const host = createLinuxHost();
    let now = 0;
    const clock: Host['clock'] = {
      ...host.clock,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
        await paused();
      },
    };
    const stat: Host['files']['stat'] = (path) =>
      host.files.stat(docker && path === '/var/run/docker.sock' ? folder : path);
    const files = { ...host.files, stat };
    return awaitRuntime(
      { ...host, clock, files },
      {
        ...{ criSocket: `unix://${folder}/sock`, limitMs: 10_000, ...more },
        signal: new AbortController().signal,
        onProgress: (message) => told.push(message),
      },
    ).then((silent) => {
      answer = silent;
      return now;
    });
  };

  it('asks once where somebody answers', async () => {
    await listen();
    expect(await wait(async () => undefined)).toBe(0);
    expect(told).toEqual([]);
  });

  it('takes the other form of a URL, which kubeadm takes, too', async () => {
    await listen();
    expect(await wait(async () => undefined, { criSocket: `unix:${folder}/sock` })).toBe(0);
    expect(await wait(async () => undefined, { criSocket: `${folder}/sock` })).toBe(0);
    expect(told).toEqual([]);
  });

  it.each(['tcp://192.0.2.1:2375', 'containerd.sock', 'unix:containerd.sock'])(
    'leaves what is no path to kubeadm: %s',
    async (criSocket) => {
      expect(await wait(async () => undefined, { criSocket })).toBe(0);
      expect(told).toEqual([]);
    },
  );

  it('goes on as soon as somebody answers, and says what it waits for once', async () => {
    let pauses = 0;
    const waited = await wait(async () => {
      pauses += 1;
      if (pauses === 3) await listen();
    });
    expect(pauses).toBe(3);
    expect(waited).toBeLessThan(1_000);
    expect(answer).toBeUndefined();
    expect(told).toEqual([`waiting for the container runtime: nothing answers at ${folder}/sock`]);
  });

  it('leaves the word to kubeadm when its time is over', async () => {
    expect(await wait(async () => undefined, { limitMs: 1_000 })).toBeGreaterThanOrEqual(1_000);
    expect(told).toHaveLength(1);
    expect(answer).toBe(`${folder}/sock`);
  });

  it('waits where a runtime that has ended left its socket', async () => {
    await listen();
    linkSync(join(folder, 'sock'), join(folder, 'left'));
    await new Promise((resolve) => server?.close(resolve));
    const criSocket = `unix://${folder}/left`;
    expect(await wait(async () => undefined, { criSocket, limitMs: 1_000 })).toBeGreaterThanOrEqual(1_000);
    expect(answer).toBe(`${folder}/left`);
  });

  it('leaves a kubelet with its own runtime alone', async () => {
    expect(await wait(async () => undefined, { criSocket: '/var/run/dockershim.sock' })).toBe(0);
    docker = true;
    expect(await wait(async () => undefined, { criSocket: undefined })).toBe(0);
  });
});
