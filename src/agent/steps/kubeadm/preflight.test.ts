import { describe, expect, it } from 'vitest';
import { FakeKubeadm } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { openShared } from '../kind/shared.ts';
import { checkBefore } from './preflight.ts';

/** A machine with swap on and a name that is no Node's, which booted so many seconds ago. */
async function check(seconds: number) {
  const machine = new FakeKubeadm();
  const real = createLinuxHost({ root: machine.root.path });
  const host: Host = {
    ...real,
    root: '/',
    hostname: () => 'no_name',
    clock: { ...real.clock, monotonic: () => seconds * 1000 },
    processes: {
      ...real.processes,
      run: async () => ({ exitStatus: 1, stdout: '', stderr: '', timedOut: false, ms: 1 }),
    },
  };
  const findings: string[] = [];
  const command: KubeadmCommand = { kind: 'kubeadm', verb: 'join', args: sensitive([]) };
  const shared = openShared(host, { bootCommands: [], commands: [command] }, 'i-1', () => undefined);
  try {
    const step = checkBefore({ command, mend: false }, shared);
    const result = await step.run({
      host,
      attempt: 1,
      interrupted: false,
      signal: new AbortController().signal,
      remainingMs: () => 60_000,
      progress: async () => undefined,
      finding: async ({ code, severity, message }) => void findings.push(`${severity} ${code} ${message}`),
      output: () => undefined,
    });
    return { result, findings };
  } finally {
    machine.root.remove();
  }
}

describe('the checks before kubeadm', () => {
  it('keep what they found to themselves while they are done again, and tell it with what is final', async () => {
    const early = await check(30);
    expect(early.result).toMatchObject({ done: false, retry: 'no' });
    expect(early.findings).toEqual([]);
    const late = await check(300);
    expect(late.result).toMatchObject({ done: false, retry: 'no' });
    expect(late.findings).toContainEqual(expect.stringMatching(/^warning DnsNotConfigured /));
  });
});

it('names all that is final, and lists each with its code', async () => {
  const { result } = await check(300);
  expect(result).toMatchObject({
    failure: {
      cause: expect.stringMatching(/ Also: .*\.$/),
      lines: expect.arrayContaining([expect.stringMatching(/ \[\w+\]$/)]),
    },
  });
  expect(JSON.stringify(result)).not.toContain('more)');
});
