import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { EventBody } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { Observer } from './observer.ts';

const FIXTURE = join(import.meta.dirname, '../../diagnosis/fixtures/join-1.20-refused.txt');
let folder: string;
let host: Host;
let children: ChildProcess[];
beforeEach(() => {
  folder = scratch();
  children = [];
  const real = createLinuxHost({ root: folder });
  // Other tests on this machine may have a kubeadm of their own.
  const list = async (path: string) =>
    path === '/proc' ? children.map(({ pid }) => String(pid)) : real.ownFiles.list(path);
  host = { ...real, ownFiles: { ...real.ownFiles, list } };
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** What cloud-init has in /run while it works, and when it has ended. */
const status = (stage: string | null, errors: string[] = []) =>
  put(
    '/run/cloud-init/status.json',
    JSON.stringify({ v1: { datasource: 'NoCloud', stage, init: { errors } } }),
  );
const finish = (errors: string[] = []) =>
  put('/run/cloud-init/result.json', JSON.stringify({ v1: { datasource: 'NoCloud', errors } }));

/** A process with kubeadm's name, file and argument: a shell that runs a script called by the verb. */
function startKubeadm(verb: string, options: SpawnOptions = {}): void {
  put(`/${verb}`, 'while :; do sleep 0.1; done\n');
  const kubeadm = join(folder, 'kubeadm');
  copyFileSync('/bin/bash', kubeadm);
  children.push(spawn(kubeadm, [verb], { argv0: 'kubeadm', cwd: folder, stdio: 'ignore', ...options }));
}

/** Everything observed in one look; what was observed before under the same key is left out, as the spool does. */
function watcher(expectsSlipway = false): (sentinel?: boolean) => Promise<EventBody[]> {
  const observer = new Observer(host, 'b-1', expectsSlipway);
  const told = new Set<string>();
  return async (sentinel = false) => {
    const found = (await observer.look(sentinel)).filter(({ key }) => !told.has(key));
    for (const { key } of found) told.add(key);
    return found.flatMap(({ bodies }) => bodies);
  };
}

/** A program that was started shows itself when it has a processor. */
const PATIENCE = { timeout: 150_000 };
const types = (bodies: EventBody[]) => bodies.map(({ type }) => type);
const ended = (bodies: EventBody[]) => bodies.find((body) => body.type === 'sequence.ended');

describe('a boot with cloud-init and without Slipway', () => {
  it('is told by its stages, its kubeadm and the sentinel', async () => {
    const look = watcher();
    expect(await look()).toEqual([]);
    status('init');
    expect(types(await look())).toEqual(['sequence.started', 'step.started', 'step.progress']);
    expect(await look()).toEqual([]);
    status('modules-final');
    expect(await look()).toMatchObject([{ type: 'step.progress', message: 'stage modules-final' }]);
    startKubeadm('join');
    const seen = await vi.waitUntil(async () => {
      const bodies = await look();
      return bodies.length > 0 && bodies;
    }, PATIENCE);
    expect(seen).toMatchObject([
      { type: 'step.started', step: { id: 'kubeadm' }, attempt: 1 },
      { type: 'step.progress', message: 'kubeadm join' },
    ]);
    const end = await look(true);
    expect(types(end)).toEqual(['step.ended', 'sequence.ended']);
    expect(ended(end)).toMatchObject({ mode: 'observed', result: 'succeeded', exitStatus: 0 });
    finish();
    expect(await look(true)).toEqual([]);
  });

  it('is not over while a kubeadm in the background still runs', async () => {
    const observer = new Observer(host, 'b-1', false);
    const look = async () => ended((await observer.look(false)).flatMap(({ bodies }) => bodies));
    status(null);
    startKubeadm('join');
    await vi.waitUntil(
      async () => (await observer.look(false)).some(({ key }) => key.includes('kubeadm')),
      PATIENCE,
    );
    finish();
    expect(await look()).toBeUndefined();
    expect(observer.isUnderWay).toBe(true);
    const [kubeadm] = children.splice(0);
    kubeadm?.kill('SIGKILL');
    // Its command has a moment for the sentinel.
    expect(await look()).toBeUndefined();
    expect(await look()).toMatchObject({ result: 'failed' });
    expect(observer.isUnderWay).toBe(false);
  });

  it('is under way from its first stage to its result', async () => {
    const observer = new Observer(host, 'b-1', false);
    const isUnderWay = async () => {
      await observer.look(false);
      return observer.isUnderWay;
    };
    expect(await isUnderWay()).toBe(false);
    status(null);
    expect(await isUnderWay()).toBe(true);
    finish();
    expect(await isUnderWay()).toBe(false);
  });

  it('is told with the reason of the last kubeadm when it ends without a sentinel', async () => {
    const first = '[preflight] Running pre-flight checks\nerror execution phase preflight: something else\n';
    put('/var/log/cloud-init-output.log', `Cloud-init v. 22.4.2\n${first}${readFileSync(FIXTURE, 'utf8')}`);
    status(null, ['no such device']);
    finish(['no such device', 'Runparts: 1 failures']);
    const end = await watcher()();
    expect(ended(end)).toMatchObject({
      result: 'failed',
      step: { id: 'kubeadm' },
      failure: { code: 'ApiServerUnreachable' },
    });
    expect(end).toContainEqual(
      expect.objectContaining({ step: { id: 'cloud-init', title: 'cloud-init' }, result: 'failed' }),
    );
  });

  it('is told with the errors of cloud-init, or that nothing was to be done, when kubeadm never ran', async () => {
    status(null);
    finish(['a', 'b', 'c', 'd']);
    expect(ended(await watcher()())).toMatchObject({
      step: { id: 'cloud-init' },
      failure: { code: 'CloudInitFailed', lines: ['b', 'c', 'd'] },
    });
    finish();
    expect(ended(await watcher()())).toMatchObject({ failure: { code: 'BootstrapNotRun' } });
  });

  it('waits while its files are being written', async () => {
    put('/run/cloud-init/status.json', '{"v1": {"sta');
    expect(await watcher()()).toEqual([]);
    status('init');
    put('/run/cloud-init/result.json', '');
    expect(ended(await watcher()())).toBeUndefined();
  });
});

it.runIf(process.getuid?.() === 0)(
  'takes no process of an ordinary user for a bootstrap, whatever it is called (needs root)',
  async () => {
    chmodSync(folder, 0o755);
    const look = watcher();
    status('modules-final');
    await look();
    startKubeadm('join', { uid: 54_321, gid: 54_321 });
    // Nor one of root's that is another program.
    children.push(spawn('sleep', ['60'], { argv0: 'kubeadm', stdio: 'ignore' }));
    put('/init', 'while :; do sleep 0.1; done\n');
    children.push(spawn('bash', ['init'], { argv0: 'kubeadm', cwd: folder, stdio: 'ignore' }));
    await Promise.all(children.map(({ pid }) => expect.poll(() => cmdline(pid)).toMatch(/^kubeadm/)));
    expect(await look()).toEqual([]);
  },
);

const cmdline = (pid = 0) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

it('leaves an image in which Slipway does the work to Slipway, unless it is never called', async () => {
  const look = watcher(true);
  status('modules-final');
  startKubeadm('join');
  expect(await look()).toEqual([]);
  finish();
  expect(ended(await look())).toMatchObject({ failure: { code: 'BootstrapNotRun' } });
  expect(ended(await watcher(true)(true))).toBeUndefined();
});
