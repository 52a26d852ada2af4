import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Step, StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { INVENTORY } from '../../kubeadm/repeat/inventory.ts';
import { clearRun } from '../../kubeadm/run/run-kubeadm.ts';
import { openShared } from '../kind/shared.ts';
import { callEnvironment } from './call-environment.ts';
import { kubeadm } from './kubeadm-call-steps.ts';
import { bootstrapNode } from './kubeadm-step.ts';

describe('the kubeadm step', () => {
  let machine: FakeKubeadm;
  let host: Host;
  let findings: string[];
  let progress: string[];
  beforeEach(() => {
    machine = new FakeKubeadm();
    host = createLinuxHost({ root: machine.root.path });
    findings = [];
    progress = [];
  });
  afterEach(() => machine.root.remove());

  const stepFor = (verb: 'init' | 'join', instance = 'i-1'): Step => {
    const command: KubeadmCommand = { kind: 'kubeadm', verb, args: sensitive([]) };
    const shared = openShared(host, { bootCommands: [], commands: [command] }, instance, () => undefined);
    return {
      ...{ id: 'kubeadm', title: 'kubeadm', digest: 'd' },
      ...bootstrapNode({ index: 0, command }, shared),
    };
  };
  const attempt = async (step: Step, more: Partial<StepContext> = {}): Promise<StepResult> => {
    const result = await step.run({
      host,
      attempt: 1,
      interrupted: false,
      signal: new AbortController().signal,
      remainingMs: () => 60_000,
      progress: async (message) => void progress.push(message),
      finding: async ({ code, severity, message }) => void findings.push(`${severity} ${code} ${message}`),
      output: () => undefined,
      ...more,
    });
    await clearRun(host);
    return result;
  };
  const resets = () => machine.calls.filter((call) => call.startsWith('reset'));

  it('waits longer between attempts to make a control plane than between attempts to join one', () => {
    expect(stepFor('init').backoff).toEqual({ baseMs: 5_000, capMs: 30_000 });
    expect(stepFor('join').backoff).toEqual({ baseMs: 2_000, capMs: 30_000 });
  });

  it('tells what it could not clean up after the attempt before', async () => {
    machine.put('/etc/kubernetes/pki/ca.key', 'CA KEY', 0o600);
    const step = stepFor('join');
    expect(await attempt(step)).toMatchObject({ done: false });
    expect(findings).toEqual([]);
    rmSync(join(machine.root.path, 'etc/kubernetes/pki/ca.key'));
    await attempt(step, { attempt: 2 });
    expect(findings).toEqual([
      'warning LeftoversFound /etc/kubernetes/pki/ca.key was changed or removed, and no copy of it was kept',
    ]);
  });

  it('begins the next sequence as cleanly as a second attempt', async () => {
    await attempt(stepFor('join'));
    machine.put('/etc/kubernetes/bootstrap-kubelet.conf', 'token of a failed attempt');
    await attempt(stepFor('join'));
    expect(progress).toContain('cleaning up after the previous attempt');
    expect(existsSync(join(machine.root.path, 'etc/kubernetes/bootstrap-kubelet.conf'))).toBe(false);
  });

  it('lets alone a node that somebody has completed by hand', async () => {
    await attempt(stepFor('join'));
    machine.put('/etc/kubernetes/kubelet.conf', 'x');
    machine.put('/var/lib/kubelet/kubeadm-flags.env', 'x');
    machine.put('/var/lib/kubelet/pki/kubelet-client-current.pem', 'x');
    const before = machine.state();
    await attempt(stepFor('join'));
    expect(resets()).toEqual([]);
    expect(machine.state()).toEqual(before);
  });

  it('says so where the kubeadm in PATH is another Slipway', async () => {
    const words = 'slipway: /a/kubeadm took /b/kubeadm for the real kubeadm, but that is Slipway too.';
    machine.put(KUBEADM, `#!/bin/sh\n[ -n "$SLIPWAY_CALLER" ] && echo "${words}" >&2\nexit 127\n`, 0o755);
    expect(await attempt(stepFor('join'))).toMatchObject({
      failure: {
        code: 'KubeadmNotFound',
        cause: '/usr/bin/kubeadm, used as the real kubeadm, is Slipway too.',
      },
      retry: 'no',
    });
  });

  it('says so where kubeadm is no program for this machine', async () => {
    machine.put(KUBEADM, '\x7fELF of another architecture', 0o755);
    expect(await attempt(stepFor('join'))).toMatchObject({
      failure: {
        code: 'KubeadmNotFound',
        cause: expect.stringMatching(/^\/usr\/bin\/kubeadm cannot be run: ./),
      },
      retry: 'no',
    });
  });

  it.each([
    ['what its line sets, over what commands before it have exported', {}, 'of-the-line exported http://p:1'],
    ['none of that by sudo', { withoutExports: true } as const, 'of-the-line  '],
  ])('gives kubeadm %s', async (_, more, seen) => {
    const command: KubeadmCommand = {
      ...{ kind: 'kubeadm', verb: 'join', args: sensitive([]), ...more },
      environment: sensitive(['A=of-the-line', 'C=two  $words', 'BASH_ENV=/none']),
    };
    const shared = openShared(host, { bootCommands: [], commands: [command] }, 'i-1', () => undefined);
    machine.put(
      `${shared.shell.directory}/env`,
      "export A='x'\nexport B='exported'\nexport HTTPS_PROXY='http://p:1'\n",
    );
    machine.put(KUBEADM, '#!/bin/sh\necho "$A $B $HTTPS_PROXY|$C|$BASH_ENV" >>/seen\nexit 1\n', 0o755);
    const work = bootstrapNode({ index: 0, command }, shared);
    await attempt({ id: 'kubeadm', title: 'kubeadm', digest: 'd', ...work });
    expect(readFileSync(join(machine.root.path, 'seen'), 'utf8')).toBe(`${seen}|two  $words|/none\n`);
    // The shells before it are not to load that.
    const { env } = await callEnvironment(host, command, shared.shell.directory);
    expect(env).not.toHaveProperty('BASH_ENV');
    expect(kubeadm.details?.({ index: 0, command })).toEqual([
      "A=of-the-line C='two  $words' BASH_ENV=/none kubeadm join",
    ]);
  });

  it('takes nothing for a leftover that the image was made with', async () => {
    await attempt(stepFor('join', 'the machine the image was made of'));
    expect(existsSync(join(machine.root.path, INVENTORY))).toBe(true);
    machine.put('/etc/kubernetes/pki/ca.crt', 'of the image');
    const before = machine.state();
    const step = stepFor('join', 'i-1');
    await attempt(step);
    await attempt(step, { attempt: 2 });
    expect(machine.state()).toEqual(before);
    expect(machine.calls).toEqual(Array(3).fill('join'));
  });
});
