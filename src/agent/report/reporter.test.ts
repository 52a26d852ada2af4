import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReportReceiver } from '../../../test/support/controller/report-receiver.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { EventType, ReadEvent } from '../../protocol/events.ts';
import type { Failure, RecordBody } from '../../protocol/journal.ts';
import { OUTCOME, SENTINEL } from '../document/paths.ts';
import { Journal } from '../engine/journal.ts';
import { type Host, HostError } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { createLog } from './events/log.ts';
import { report } from './reporter.ts';
import { TRANSPORTS } from './transports/transport.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const step = { id: 'kubeadm join', title: 'kubeadm join', digest: 'd' };
const failure: Failure = {
  code: 'ApiServerUnreachable',
  cause: 'No answer from 10.0.0.1.',
  remedy: 'Look at it.',
  exitStatus: 1,
  lines: ['error: --token fedcba.0123456789abcdef refused'],
};

let folder: string;
let receiver: ReportReceiver;
let reporters: { stop: AbortController; ended: Promise<string> }[];
let children: ChildProcess[];
let log: string[];

beforeEach(async () => {
  folder = scratch();
  receiver = new ReportReceiver();
  receiver.tokens.add(TOKEN);
  await receiver.start();
  reporters = [];
  children = [];
  log = [];
  put('/etc/machine-id', 'machine-1\n');
  put(
    '/etc/slipway/config.d/50-report.yaml',
    `report:
  nodeTimeout: 0s
  journal: off
  controller:
    endpoints: [${receiver.url}]
    token: ${TOKEN}
    ca: |
${receiver.ca.replace(/^/gm, '      ')}
`,
  );
});

afterEach(async () => {
  for (const { stop } of reporters) stop.abort();
  await Promise.all(reporters.map(({ ended }) => ended));
  for (const child of children) child.kill('SIGKILL');
  await receiver.stop();
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function hostOf(boot?: string): Host {
  const host = createLinuxHost({ root: folder });
  // Other tests on this machine may have a kubeadm of their own.
  const list = async (path: string) =>
    path === '/proc' ? children.map(({ pid }) => String(pid)) : host.ownFiles.list(path);
  return {
    ...host,
    ownFiles: { ...host.ownFiles, list },
    ...(boot === undefined ? {} : { bootId: async () => boot }),
  };
}

function startReporter(host = hostOf()): { stop: AbortController; ended: Promise<string> } {
  const stop = new AbortController();
  const options = { host, version: '1.2.3', log: createLog((line) => log.push(line)), stop: stop.signal };
  const reporter = { stop, ended: report(options) };
  reporters.push(reporter);
  return reporter;
}

async function stopReporter({
  stop,
  ended,
}: {
  stop: AbortController;
  ended: Promise<string>;
}): Promise<void> {
  stop.abort();
  await ended;
}

/** A process that holds the agent's lock, as the agent does. */
function startAgent(): ChildProcess & { pid: number } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  children.push(child);
  if (child.pid === undefined) throw new Error('sleep did not start');
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  put('/run/slipway/agent.lock', JSON.stringify({ pid: child.pid, startTime }));
  return child as ChildProcess & { pid: number };
}

async function journal(host: Host, ...records: RecordBody[]): Promise<void> {
  const open = await Journal.open(host);
  for (const record of records) await open.append(record);
  await open.close();
}

const began = (pid: number, sequence = 's-1', resumed = false): RecordBody[] => [
  { type: 'run.started', run: 'r-1', instance: 'machine-1', mode: 'bootstrap', agent: '0.1.0', pid },
  {
    type: 'sequence.started',
    run: 'r-1',
    sequence,
    digest: 'd',
    steps: [step],
    deadlineSeconds: 900,
    resumed,
  },
  { type: 'step.started', step: step.id, digest: 'd', attempt: 1 },
];
const done: RecordBody[] = [
  { type: 'step.ended', step: step.id, digest: 'd', attempt: 1, result: 'done', ms: 10 },
  { type: 'sequence.ended', run: 'r-1', sequence: 's-1', result: 'succeeded', exitStatus: 0, ms: 20 },
];

async function received(type: EventType): Promise<ReadEvent> {
  for (;;) {
    const found = receiver.stored.find((event) => event.type === type);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const types = () => receiver.stored.map(({ type }) => type).filter((type) => type !== 'fact');
const expectWhole = () => {
  expect(receiver.stored.map(({ seq }) => seq)).toEqual(receiver.stored.map((_, index) => index + 1));
};

describe('reporting', () => {
  it('tells a bootstrap that succeeds while it goes, and ends', async () => {
    const host = hostOf();
    const reporter = startReporter();
    await received('fact');
    const agent = startAgent();
    await journal(host, ...began(agent.pid));
    await received('step.started');
    put(SENTINEL, 'success\n');
    await journal(host, ...done);
    agent.kill('SIGKILL');
    rmSync(join(folder, 'run/slipway/agent.lock'));
    await received('sequence.ended');
    expect(await reporter.ended).toBe('the machine is bootstrapped');
    // Looked for each second, and once more at the end: before the agent's end or behind it.
    const told = types();
    expect(told.filter((type) => type !== 'sentinel.seen')).toEqual([
      'sequence.started',
      'step.started',
      'step.ended',
      'sequence.ended',
    ]);
    expect(told.filter((type) => type === 'sentinel.seen')).toHaveLength(1);
    expectWhole();
    expect(receiver.repeated).toBe(0);
    expect(log.join('\n')).not.toContain(TOKEN);
  });

  it.each(Object.entries(TRANSPORTS))(
    'numbers on behind what %s has had where the spool is lost',
    async (name, reliable) => {
      const cursor = { seq: 50, instance: 'machine-1' };
      const where = reliable ? '/var/lib/slipway/report' : '/run/slipway/report';
      put(`${where}/${name}.cursor`, JSON.stringify(cursor));
      startReporter();
      expect((await received('fact')).seq).toBe(51);
    },
  );

  it('sends again what a receiver has seen and not stored, with what comes next', async () => {
    const host = hostOf();
    const slept: number[] = [];
    const sleep: Host['clock']['sleep'] = (ms, signal) => {
      slept.push(ms);
      return host.clock.sleep(ms, signal);
    };
    const reporter = startReporter({ ...host, clock: { ...host.clock, sleep } });
    receiver.mood = ({ path, events }) =>
      path === '/v1/enroll' || events.some(({ type }) => type === 'sequence.ended')
        ? undefined
        : { status: 200, body: { version: 1, stored: 0 } };
    await journal(host, ...began(1));
    // It waits for more to come before it sends them again.
    await vi.waitUntil(() => slept.includes(15_000), 50_000);
    expect(receiver.stored).toEqual([]);
    await journal(host, ...done);
    await received('sequence.ended');
    await reporter.ended;
    expectWhole();
  });

  it('says once what it cannot look at, however often it looks', async () => {
    const host = hostOf();
    const refuse = (path: string) => new HostError(`reading ${path}: permission denied`, 'EACCES', path);
    let looks = 0;
    const files: Host['files'] = {
      ...host.files,
      async readIfPresent(path, maxBytes) {
        if (path !== OUTCOME) return host.files.readIfPresent(path, maxBytes);
        looks += 1;
        throw refuse(path);
      },
      async stat(path) {
        if (path === SENTINEL) throw refuse(path);
        return host.files.stat(path);
      },
    };
    // Time passes as fast as it looks.
    let now = host.clock.monotonic();
    const sleep = async (ms: number) => {
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    };
    const reporter = startReporter({ ...host, files, clock: { ...host.clock, monotonic: () => now, sleep } });
    await vi.waitUntil(() => looks > 50, 50_000);
    await stopReporter(reporter);
    const refusals = log.filter((line) => line.includes('permission denied'));
    expect(refusals.filter((line) => line.startsWith('journal: '))).toHaveLength(1);
    expect(refusals.length).toBeLessThanOrEqual(3);
  });

  it('tells a failure with its code and last lines, without secrets', async () => {
    const reporter = startReporter();
    const ended = { step: step.id, digest: 'd', attempt: 1, result: 'failed', ms: 5, failure } as const;
    await journal(
      hostOf(),
      ...began(1),
      { type: 'step.ended', ...ended, retryInMs: 100 },
      { type: 'step.started', step: step.id, digest: 'd', attempt: 2 },
      { type: 'step.ended', ...ended, attempt: 2 },
      {
        type: 'sequence.ended',
        run: 'r-1',
        sequence: 's-1',
        result: 'failed',
        exitStatus: 1,
        ms: 9,
        failure,
      },
    );
    expect(await reporter.ended).toMatch(/final/);
    expect(types()).toEqual([
      'sequence.started',
      'step.started',
      'step.attempt',
      'step.started',
      'step.ended',
      'sequence.ended',
    ]);
    const end = await received('sequence.ended');
    expect(end).toMatchObject({
      failure: { code: failure.code, lines: ['error: --token fedcba.[redacted] refused'] },
    });
    expect(end).toMatchObject({ step: { id: 'kubeadm join' }, mode: 'bootstrap', result: 'failed' });
    expect(JSON.stringify(receiver.stored)).not.toContain('0123456789abcdef"');
  });

  it('tells bad user data, of which the journal knows nothing, and not that nothing was run', async () => {
    mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
    symlinkSync('slipway', join(folder, 'usr/local/bin/kubeadm'));
    put('/run/cloud-init/status.json', JSON.stringify({ v1: { stage: 'modules-final' } }));
    const host = hostOf();
    let looks = 0;
    const sleep: Host['clock']['sleep'] = (ms, signal) => {
      if (ms === 200) looks += 1;
      return host.clock.sleep(ms, signal);
    };
    const reporter = startReporter({ ...host, clock: { ...host.clock, sleep } });
    await received('fact');
    const boot = await host.bootId();
    const head = {
      version: 1,
      result: 'bad-input',
      exitStatus: 2,
      message: 'm',
      failure,
      steps: [],
      seconds: 0,
    };
    const finding = {
      severity: 'warning',
      code: 'UserDataIgnoredKey',
      message: 'foo is not known',
      where: '3:1',
    };
    const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-01T00:00:01.000Z' };
    put(
      OUTCOME,
      JSON.stringify({
        ...head,
        findings: [finding],
        boot,
        sequence: '',
        mode: 'bootstrap',
        agent: '1',
        instance: 'machine-1',
        ...times,
      }),
    );
    put('/run/cloud-init/result.json', JSON.stringify({ v1: { errors: [] } }));
    // Held up by its receiver, it has the time to look around.
    receiver.mood = () => ({ status: 503 });
    const before = looks;
    await vi.waitUntil(() => looks > before + 8, 50_000);
    receiver.mood = () => undefined;
    await received('sequence.ended');
    expect(await reporter.ended).toMatch(/final/);
    expect(types()).toEqual(['finding', 'sequence.ended']);
  });

  it('tells that the agent was killed, and goes on when it is started again', async () => {
    startReporter();
    const agent = startAgent();
    await journal(hostOf(), ...began(agent.pid));
    await received('step.started');
    agent.kill('SIGKILL');
    const lost = await received('agent.lost');
    expect(lost).toMatchObject({
      how: 'killed',
      pid: agent.pid,
      sequence: 's-1',
      step: { id: 'kubeadm join' },
      failure: { code: 'AgentKilled', cause: `The agent (process ${agent.pid}) ended without a verdict.` },
    });
    const next = startAgent();
    await journal(hostOf(), ...began(next.pid, 's-1', true), ...done);
    expect(await received('sequence.ended')).toMatchObject({ result: 'succeeded' });
    expect(types().filter((type) => type === 'agent.lost')).toHaveLength(1);
  });

  it('tells that the agent is stopped, and that it works again', async () => {
    startReporter();
    const agent = startAgent();
    await journal(hostOf(), ...began(agent.pid));
    await received('step.started');
    agent.kill('SIGSTOP');
    expect(await received('agent.lost')).toMatchObject({ how: 'hung', failure: { code: 'AgentHung' } });
    agent.kill('SIGCONT');
    expect(await received('heartbeat')).toMatchObject({ sequence: 's-1' });
    expect(types()).toEqual(['sequence.started', 'step.started', 'agent.lost', 'heartbeat']);
  });

  it('loses and repeats nothing over outages, restarts and a reboot', async () => {
    const first = startReporter();
    await received('fact');
    await receiver.stop();
    await journal(hostOf(), ...began(1));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await stopReporter(first);
    // Another boot: the journal goes on, the receiver is still away.
    const second = startReporter(hostOf('boot-2'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await journal(hostOf('boot-2'), ...began(1, 's-1', true));
    await stopReporter(second);
    await receiver.start();
    // The answer to the first batch after the outage is lost: what was stored comes again and is recognised.
    let cuts = 0;
    receiver.mood = ({ events }) =>
      events.length > 0 && cuts++ === 0 ? { status: 200, cut: true } : undefined;
    const third = startReporter(hostOf('boot-2'));
    await journal(hostOf('boot-2'), ...done);
    expect(await third.ended).toBe('the machine is bootstrapped');
    expectWhole();
    expect(types()).toEqual([
      'sequence.started',
      'step.started',
      'sequence.started',
      'step.started',
      'step.ended',
      'sequence.ended',
    ]);
    expect(cuts).toBeGreaterThan(0);
    expect(receiver.repeated).toBeGreaterThan(0);
    expect(new Set(receiver.stored.map(({ boot }) => boot)).size).toBe(2);
  });

  it('takes settings that come after it has begun, and tells what is wrong in them', async () => {
    const good = readFileSync(join(folder, 'etc/slipway/config.d/50-report.yaml'), 'utf8');
    rmSync(join(folder, 'etc/slipway'), { recursive: true });
    startReporter();
    await journal(hostOf(), ...began(1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    put(
      '/etc/slipway/config.d/50-report.yaml',
      good.replace('  nodeTimeout: 0s', '  nodeTimeout: soon\n  colour: red'),
    );
    expect(await received('finding')).toMatchObject({ code: 'ReportConfigInvalid' });
    expect(log.join('\n')).toContain(
      '/etc/slipway/config.d/50-report.yaml:3:3: warning: report: colour is not known',
    );
    expect(log.join('\n')).toMatch(/50-report.yaml:2:\d+: report: nodeTimeout must be a duration/);
    expectWhole();
  });

  it('knows the receivers that the user data of a bootstrap that fails at once has named', async () => {
    const settings = readFileSync(join(folder, 'etc/slipway/config.d/50-report.yaml'), 'utf8');
    rmSync(join(folder, 'etc/slipway'), { recursive: true });
    const reporter = startReporter();
    // Just after it has looked at its settings.
    await new Promise((resolve) => setTimeout(resolve, 100));
    put('/etc/slipway/config.d/50-report.yaml', settings);
    const ended = { type: 'sequence.ended', run: 'r-1', sequence: 's-1', exitStatus: 1, ms: 9 } as const;
    await journal(hostOf(), ...began(1), { ...ended, result: 'failed', failure });
    expect(await reporter.ended).toMatch(/final/);
    expect(types()).toContain('sequence.ended');
  });
});

describe('a boot without Slipway', () => {
  const status = (stage: string | null, errors: string[] = []) =>
    put(
      '/run/cloud-init/status.json',
      JSON.stringify({ v1: { datasource: 'NoCloud', stage, init: { errors } } }),
    );
  const finish = (errors: string[] = []) =>
    put('/run/cloud-init/result.json', JSON.stringify({ v1: { datasource: 'NoCloud', errors } }));

  it('is told with the reason of kubeadm when cloud-init ends without a sentinel', async () => {
    const reporter = startReporter();
    status('modules-final');
    const output = readFileSync(
      join(import.meta.dirname, '../diagnosis/fixtures/join-1.20-refused.txt'),
      'utf8',
    );
    put(
      '/var/log/cloud-init-output.log',
      `Cloud-init v. 22.4.2 running\n[preflight] Running pre-flight checks\n${output}`,
    );
    finish(["('scripts_user', RuntimeError('Runparts: 1 failures'))"]);
    expect(await reporter.ended).toMatch(/final/);
    const end = await received('sequence.ended');
    expect(end).toMatchObject({ mode: 'observed', result: 'failed', step: { id: 'kubeadm' } });
    expect(end).toMatchObject({ failure: { code: 'ApiServerUnreachable' } });
  });
});
