import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadmUnit } from '../../../../../test/support/kubeadm/fake-kubeadm-unit.ts';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { EventBody } from '../../../../protocol/events.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { Observer } from '../observer.ts';
import { isIgnitionPending } from './ignition.ts';

const REFUSED = readFileSync(
  join(import.meta.dirname, '../../../diagnosis/fixtures/join-1.20-refused.txt'),
  'utf8',
);
const UNIT = '/etc/systemd/system/kubeadm.service';
const SENTINEL = '/run/cluster-api/bootstrap-success.complete';

let folder: string;
let host: Host;
let now: number;
let unit: FakeKubeadmUnit;

beforeEach(() => {
  folder = scratch();
  now = 100_000;
  unit = new FakeKubeadmUnit(folder, () => now);
  const real = createLinuxHost({ root: folder });
  const list = async (path: string) => (path === '/proc' ? [] : real.ownFiles.list(path));
  host = {
    ...real,
    ownFiles: { ...real.ownFiles, list },
    clock: { ...real.clock, monotonic: () => now, sleep: async () => undefined },
    processes: { ...real.processes, run: async ({ argv }) => unit.answer(argv) },
  };
  put(UNIT, '[Service]\nType=oneshot\nExecStart=/bin/bash /etc/kubeadm.sh\n');
  put('/etc/kubeadm.sh', '#!/bin/bash\nset -e\nmkdir x\nkubeadm join --config /etc/kubeadm.yml \n');
  put('/etc/kubeadm.yml', '---\n');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Everything observed in one look; what was observed before under the same key is left out, as the spool does. */
function watcher(expectsSlipway = false) {
  const observer = new Observer(host, 'b-1', expectsSlipway);
  const told = new Set<string>();
  const look = async (sentinel = false): Promise<EventBody[]> => {
    now += 1000;
    const found = (await observer.look(sentinel)).filter(({ key }) => !told.has(key));
    for (const { key } of found) told.add(key);
    return found.flatMap(({ bodies }) => bodies);
  };
  return { observer, look };
}

const ended = (bodies: EventBody[]) => bodies.find((body) => body.type === 'sequence.ended');

describe('a boot in which Ignition brought kubeadm.service', () => {
  it('is told from its start to the sentinel, and asks systemd seldom', async () => {
    const { observer, look } = watcher();
    expect(await look()).toEqual([]);
    expect(observer.isUnderWay).toBe(false);
    unit.running('a1');
    expect(await look()).toMatchObject([
      {
        type: 'sequence.started',
        mode: 'observed',
        resumed: false,
        steps: [{ id: 'kubeadm.service' }, { id: 'kubeadm' }],
      },
      { type: 'step.started', step: { id: 'kubeadm.service' }, attempt: 1 },
    ]);
    expect(observer.isUnderWay).toBe(true);
    unit.asked = 0;
    for (let index = 0; index < 30; index += 1) expect(await look()).toEqual([]);
    expect(unit.asked).toBe(10);
    // It ends well, and systemd unloads it; the sentinel was not there when the look began.
    put(SENTINEL, 'success\n');
    unit.idle();
    expect(await look()).toMatchObject([
      { type: 'step.ended', step: { id: 'kubeadm' }, attempt: 1, result: 'done', ms: 32_000 },
      { type: 'sequence.ended', result: 'succeeded' },
    ]);
    expect(await look(true)).toEqual([]);
    unit.asked = 0;
    for (let index = 0; index < 30; index += 1) expect(await look(true)).toEqual([]);
    expect(unit.asked).toBe(0);
  });

  it("is told with kubeadm's reason when the unit fails, even between two looks", async () => {
    const { observer, look } = watcher();
    await look();
    unit.running('a1');
    unit.journal.a1 = `kubeadm.sh: preparing\n${REFUSED}`;
    unit.failed();
    now += 3000;
    const end = await look();
    expect(ended(end)).toMatchObject({
      result: 'failed',
      step: { id: 'kubeadm' },
      failure: { code: 'ApiServerUnreachable', exitStatus: 1 },
    });
    expect(end.filter(({ type }) => type === 'step.ended')).toMatchObject([
      { step: { id: 'kubeadm' }, failure: { code: 'ApiServerUnreachable' } },
      { step: { id: 'kubeadm.service' }, result: 'failed', message: 'kubeadm failed' },
    ]);
    expect(observer.isUnderWay).toBe(false);
  });

  it('looks again for what journald is behind with', async () => {
    const sleep = async () => {
      unit.journal.a1 = 'not this time\n';
    };
    host = { ...host, clock: { ...host.clock, sleep } };
    const { look } = watcher();
    unit.running('a1');
    await look();
    unit.failed();
    expect(ended(await look())).toMatchObject({
      failure: { code: 'CommandFailed', lines: ['not this time'] },
    });
  });

  it('counts the attempts of a unit that is started again, also of those that it did not see end', async () => {
    const { look } = watcher();
    unit.running('a1');
    await look();
    unit.journal.a1 = REFUSED;
    unit.failed({ ActiveState: 'activating', SubState: 'auto-restart', RestartUSec: '1min 30s' });
    expect(await look()).toMatchObject([
      {
        type: 'step.attempt',
        step: { id: 'kubeadm' },
        attempt: 1,
        ms: 1000,
        failure: { code: 'ApiServerUnreachable', exitStatus: 1 },
        retryInMs: 89_000,
      },
    ]);
    unit.running('a2', { NRestarts: '1' });
    expect(await look()).toMatchObject([{ type: 'step.started', attempt: 2 }]);
    unit.journal.a2 = 'mkdir: cannot create directory ‘x’: No space left on device\n';
    unit.running('a4', { NRestarts: '3' });
    const [missed, next] = await look();
    expect(missed).toMatchObject({
      type: 'step.attempt',
      step: { id: 'kubeadm.service' },
      attempt: 2,
      failure: { code: 'CommandFailed', lines: [unit.journal.a2.trim()] },
    });
    expect(missed).not.toHaveProperty('failure.exitStatus');
    expect(next).toMatchObject({ type: 'step.started', attempt: 4 });
    put(SENTINEL, 'success\n');
    expect(ended(await look(true))).toMatchObject({ result: 'succeeded' });
  });

  it('has failed when the attempt that was to come does not', async () => {
    // systemd has had enough of them; somebody stopped it.
    const stops = [() => unit.failed({ Result: 'start-limit-hit' }), () => unit.idle()];
    for (const stop of stops) {
      const { observer, look } = watcher();
      unit.running('a1');
      await look();
      unit.journal.a1 = REFUSED;
      unit.failed({ ActiveState: 'activating', SubState: 'auto-restart', RestartUSec: '5s' });
      expect((await look()).map(({ type }) => type)).toEqual(['step.attempt']);
      expect(await look()).toEqual([]);
      stop();
      const told = [...(await look()), ...(await look()), ...(await look())];
      expect(ended(told)).toMatchObject({
        failure: { code: 'ApiServerUnreachable', exitStatus: 1 },
      });
      expect(observer.isUnderWay).toBe(false);
    }
  });

  it('loses nothing when a look is cut off by an error', async () => {
    const { look } = watcher();
    unit.running('a1');
    unit.journal.a1 = REFUSED;
    unit.failed();
    rmSync(join(folder, '/etc/kubeadm.sh'));
    mkdirSync(join(folder, '/etc/kubeadm.sh'));
    await expect(look()).rejects.toThrow(/kubeadm.sh/);
    rmSync(join(folder, '/etc/kubeadm.sh'), { recursive: true });
    const told = await look();
    expect(told.map(({ type }) => type).slice(0, 2)).toEqual(['sequence.started', 'step.started']);
    expect(ended(told)).toMatchObject({ failure: { code: 'ApiServerUnreachable' } });
  });

  it('goes on when somebody starts the failed unit again', async () => {
    const { observer, look } = watcher();
    unit.running('a1');
    await look();
    unit.failed({ Result: 'start-limit-hit' });
    expect(ended(await look())).toMatchObject({ failure: { code: 'CommandFailed' } });
    unit.running('b1');
    expect(await look()).toMatchObject([
      { type: 'sequence.started', resumed: true },
      { type: 'step.started', attempt: 2 },
    ]);
    expect(observer.isUnderWay).toBe(true);
  });

  it('names a signal, want of memory and a time limit of systemd', async () => {
    const begun = '[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet\n';
    const cases: [Record<string, string>, RegExp][] = [
      [{ Result: 'signal', ExecMainCode: '2', ExecMainStatus: '15' }, /killed by SIGTERM/],
      [{ Result: 'oom-kill', ExecMainCode: '1', ExecMainStatus: '1' }, /ran out of memory/],
      [{ Result: 'timeout', ExecMainCode: '2', ExecMainStatus: '15' }, /TimeoutStartSec/],
      // A shell's word for what happened to kubeadm.
      [{ Result: 'exit-code', ExecMainCode: '1', ExecMainStatus: '137' }, /killed by SIGKILL/],
    ];
    for (const [end, cause] of cases) {
      const { look } = watcher();
      unit.running('a1');
      await look();
      unit.journal.a1 = begun;
      unit.failed(end);
      expect(ended(await look())).toMatchObject({
        failure: { code: 'KubeadmInterrupted', cause: expect.stringMatching(cause) },
      });
    }
  });

  it('says so when the unit ends well and nothing was bootstrapped', async () => {
    const { look } = watcher();
    unit.running('a1');
    await look();
    unit.idle();
    expect(ended(await look())).toMatchObject({
      step: { id: 'kubeadm.service' },
      failure: { code: 'BootstrapNotRun', cause: expect.stringContaining('sentinel') },
    });
  });

  it('has succeeded, with a warning, when a command after kubeadm fails', async () => {
    const { look } = watcher();
    unit.running('a1');
    await look();
    put(SENTINEL, 'success\n');
    unit.journal.a1 = `${REFUSED}\ntouch: missing file operand\n`;
    unit.failed();
    const told = await look();
    expect(ended(told)).toMatchObject({ result: 'succeeded' });
    expect(told.at(-1)).toMatchObject({
      type: 'finding',
      code: 'CommandFailed',
      message: expect.stringMatching(/status 1.*touch: missing file operand$/),
    });
  });

  it('asks again where systemd does not answer', async () => {
    const { look } = watcher();
    unit.running('a1');
    unit.answers = false;
    expect(await look()).toEqual([]);
    unit.answers = true;
    expect((await look()).map(({ type }) => type)).toEqual(['sequence.started', 'step.started']);
  });

  it("is Slipway's own to tell where Slipway is kubeadm there, unless it is never called", async () => {
    const { look } = watcher(true);
    unit.running('a1');
    expect(await look()).toEqual([]);
    unit.failed();
    expect((await look()).map(({ type }) => type)).toEqual([
      'sequence.started',
      'step.ended',
      'sequence.ended',
    ]);
  });

  it('comes again with the next boot until kubeadm has succeeded', async () => {
    expect(await isIgnitionPending(host)).toBe(true);
    rmSync(join(folder, '/etc/kubeadm.yml'));
    expect(await isIgnitionPending(host)).toBe(false);
  });

  it("is not one where a unit of that name is another's", async () => {
    put(UNIT, '[Service]\nExecStart=/usr/bin/true\n');
    const { look } = watcher();
    unit.running('a1');
    expect(await look()).toEqual([]);
    expect(await isIgnitionPending(host)).toBe(false);
  });
});
