import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { EventBody, SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { ConsoleTransport, serialConsole } from './console.ts';
import { JournaldTransport, journalEntry, MESSAGE_IDS } from './journald.ts';
import { VmwareTransport } from './vmware.ts';

let folder: string;
let host: Host;
beforeEach(() => {
  folder = scratch();
  host = createLinuxHost({ root: folder });
});

const sequence = 's-1';
const step = { id: 'kubeadm join', title: 'kubeadm join' };
const failure = {
  code: 'ApiServerUnreachable',
  cause: 'No answer, from 10.0.0.1.',
  remedy: 'Look at it.',
  lines: ['a', 'b'],
};
const never = new AbortController().signal;

function events(...bodies: EventBody[]): SlipwayEvent[] {
  return bodies.map(
    (body, index) =>
      ({
        v: 1,
        machine: { instance: 'i-1', hostname: 'h' },
        boot: 'b-1',
        seq: index + 1,
        time: '2026-01-02T03:04:05.678Z',
        mono: 1,
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        ...body,
      }) as SlipwayEvent,
  );
}

const story = events(
  { type: 'sequence.started', sequence, mode: 'bootstrap', steps: [step, step], resumed: false },
  { type: 'step.started', sequence, step, attempt: 1 },
  { type: 'step.attempt', sequence, step, attempt: 1, ms: 1500, failure, retryInMs: 2000 },
  { type: 'heartbeat', sequence, step },
  { type: 'step.ended', sequence, step, attempt: 2, result: 'done', ms: 61_000 },
  {
    type: 'sequence.ended',
    sequence,
    mode: 'bootstrap',
    result: 'failed',
    exitStatus: 1,
    ms: 70_000,
    step,
    failure,
  },
);

describe('the console', () => {
  const device = '/dev/ttyS0';
  const lines = [
    'slipway: the bootstrap started (2 steps)',
    'slipway: kubeadm join: attempt 1 failed (1.5s), next in 2.0s: No answer, from 10.0.0.1. [ApiServerUnreachable]',
    'slipway: kubeadm join: done (1m 1s)',
    'slipway: BOOTSTRAP FAILED after 1m 10s: No answer, from 10.0.0.1. [ApiServerUnreachable] Look at it.',
  ];

  beforeEach(() => mkdirSync(join(folder, 'dev')));

  it('gets one line for each thing that a person wants to know, on a real terminal', async () => {
    // script(1) runs its command on a pseudo-terminal of its own and writes down what appears there.
    const seen = join(folder, 'typescript');
    const terminal = spawn('script', ['-qfc', 'tty; sleep 30', seen], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const path = await new Promise<string>((resolve) =>
        terminal.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
      );
      const real = createLinuxHost();
      expect(await new ConsoleTransport(real, path).deliver(story)).toBe(6);
      const shown = () => readFileSync(seen, 'utf8').split('\r\n');
      await vi.waitUntil(() => shown().some((line) => line.includes('BOOTSTRAP FAILED')), {
        timeout: 150_000,
      });
      expect(shown().filter((line) => line.startsWith('slipway: '))).toEqual(lines);
    } finally {
      terminal.kill('SIGKILL');
    }
  });

  it('never waits for a line that is not read, and goes on in the middle where it stopped', async () => {
    execFileSync('mkfifo', [join(folder, device)]);
    const reader = openSync(join(folder, device), 'r+');
    const transport = new ConsoleTransport(host, device);
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...(story[5] as SlipwayEvent),
      seq: index + 1,
    }));
    let reached = await transport.deliver(many);
    expect(reached).toBeGreaterThan(100);
    expect(reached).toBeLessThan(3000);
    await expect(transport.deliver(many.slice(reached))).rejects.toThrow(/not accepting output/);
    let text = '';
    const buffer = Buffer.alloc(1 << 16);
    while (reached < 3000) {
      text += buffer.toString('utf8', 0, readSync(reader, buffer));
      reached = await transport.deliver(many.slice(reached)).catch(() => reached);
    }
    while (text.split('\n').length <= 3000) text += buffer.toString('utf8', 0, readSync(reader, buffer));
    expect(new Set(text.trimEnd().split('\n'))).toEqual(new Set([lines[3]]));
  });

  it('is the last serial line that the kernel uses, if it is there', async () => {
    const cmdline = (line: string) => ({
      ...host,
      ownFiles: { ...host.ownFiles, readIfPresent: async () => Buffer.from(line) },
    });
    writeFileSync(join(folder, device), '');
    expect(await serialConsole(cmdline('console=ttyS1 console=ttyS0,115200n8 console=tty0'))).toBe(device);
    expect(await serialConsole(cmdline('console=tty0 quiet'))).toBeUndefined();
    expect(await serialConsole(cmdline('console=ttyS7'))).toBeUndefined();
  });
});

describe('the journal of systemd', () => {
  it('gets an id that is never another and fields to search by', () => {
    expect(new Set(Object.values(MESSAGE_IDS)).size).toBe(Object.keys(MESSAGE_IDS).length);
    const [entry = ''] = events({
      type: 'step.ended',
      sequence,
      step,
      attempt: 1,
      result: 'failed',
      ms: 5,
      failure,
    }).map(journalEntry);
    expect(entry.split('\n')).toEqual([
      'MESSAGE=kubeadm join: FAILED (5ms): No answer, from 10.0.0.1. [ApiServerUnreachable]',
      `MESSAGE_ID=${MESSAGE_IDS['step.ended']}`,
      'PRIORITY=3',
      'SYSLOG_IDENTIFIER=slipway',
      'SLIPWAY_TYPE=step.ended',
      'SLIPWAY_SEQ=1',
      'SLIPWAY_TIME=2026-01-02T03:04:05.678Z',
      'SLIPWAY_SEQUENCE=s-1',
      'SLIPWAY_STEP=kubeadm join',
      'SLIPWAY_CODE=ApiServerUnreachable',
      'SLIPWAY_REMEDY=Look at it.',
      'SLIPWAY_OUTPUT=a | b',
      `TRACEPARENT=00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      '',
    ]);
  });

  it('says why it cannot be written to', async () => {
    // There is no logger below this root.
    await expect(new JournaldTransport(host).deliver(story, never)).rejects.toThrow(/logger --journald: /);
  });
});

describe('the guest information of VMware', () => {
  /** Stands for the tool, where the hypervisor is missing: notes its arguments. */
  function installTool(name: string, status = 0): Host {
    const tool = join(folder, name);
    writeFileSync(
      tool,
      `#!/bin/sh\nfor word in "$@"; do echo "$word" >>${folder}/said; done\necho trouble >&2\nexit ${status}\n`,
    );
    chmodSync(tool, 0o755);
    const real = createLinuxHost();
    const which = async (wanted: string) => (wanted === name ? tool : undefined);
    return { ...real, processes: { ...real.processes, which } };
  }
  const said = () => readFileSync(join(folder, 'said'), 'utf8').trimEnd().split('\n');

  it('gets the verdict as vm-operator reads it, and where it stands', async () => {
    const transport = new VmwareTransport(installTool('vmware-rpctool'));
    expect(await transport.deliver(story.slice(0, 2), never)).toBe(2);
    expect(said()).toEqual([expect.stringMatching(/^info-set guestinfo.slipway.status \{"seq":2,/)]);
    expect(await transport.deliver(story, never)).toBe(6);
    expect(said().slice(1)).toEqual([
      'info-set guestinfo.vmservice.bootstrap.condition false,ApiServerUnreachable,No answer, from 10.0.0.1. Look at it.',
      expect.stringContaining('"code":"ApiServerUnreachable"'),
    ]);
  });

  it('is set by vmtoolsd where that is what there is', async () => {
    const ended = events({
      type: 'sequence.ended',
      sequence,
      mode: 'shim',
      result: 'succeeded',
      exitStatus: 0,
      ms: 1,
    });
    await new VmwareTransport(installTool('vmtoolsd')).deliver(ended, never);
    expect(said().slice(0, 2)).toEqual([
      '--cmd',
      'info-set guestinfo.vmservice.bootstrap.condition true,Bootstrapped,The machine is bootstrapped.',
    ]);
  });

  it('says why it could not be set', async () => {
    await expect(new VmwareTransport(installTool('vmware-rpctool', 1)).deliver(story, never)).rejects.toThrow(
      /trouble/,
    );
    await expect(new VmwareTransport(installTool('other')).deliver(story, never)).rejects.toThrow(/neither/);
  });
});
