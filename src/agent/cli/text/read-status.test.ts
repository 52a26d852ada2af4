import { chmodSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Failure } from '../../../protocol/journal.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { createHost } from '../../create-host.ts';
import { JOURNAL, OUTCOME as OUTCOME_FILE } from '../../document/paths.ts';
import { Journal } from '../../engine/journal.ts';
import { writeOutcome } from '../../engine/outcome.ts';
import type { Host } from '../../host/host.ts';
import { readStatus } from './read-status.ts';
import { statusText } from './status-text.ts';

const NOBODY = 65534;

const OUTCOME: Outcome = {
  version: 1,
  result: 'failed',
  exitStatus: 1,
  message: 'The token is not valid. Make a new one.',
  failure: { code: 'TokenUnknown', cause: 'The token is not valid.', remedy: 'Make a new one.' },
  step: 'kubeadm',
  findings: [],
  steps: [
    { id: 'files', title: 'write 3 files', result: 'done', attempts: 1, seconds: 0.1 },
    { id: 'kubeadm', title: 'kubeadm join', result: 'failed', attempts: 2, seconds: 8 },
    { id: 'runcmd/2', title: 'runcmd 2', result: 'not run', attempts: 0, seconds: 0 },
  ],
  instance: 'i-1',
  boot: 'b-1',
  sequence: 's-1',
  mode: 'bootstrap',
  agent: '0.1.0',
  startedAt: '2026-11-21T06:00:00.000Z',
  endedAt: '2026-11-21T06:00:09.000Z',
  seconds: 9,
};

describe.runIf(process.getuid?.() === 0)('status for somebody who is not root (needs root)', () => {
  let root: string;
  let host: Host;
  beforeEach(async () => {
    root = scratch();
    host = createHost({ root });
    await host.files.mkdir('/run/slipway', 0o755);
    chmodSync(root, 0o755);
  });

  const asNobody = async () => {
    process.seteuid?.(NOBODY);
    try {
      return await readStatus(host);
    } finally {
      process.seteuid?.(0);
    }
  };
  const writeJournal = async () => {
    await host.files.mkdir('/var/lib/slipway', 0o700);
    await host.files.write(JOURNAL, '', { mode: 0o600 });
  };

  it('tells the verdict and its steps, and that root would see more', async () => {
    await writeJournal();
    await writeOutcome(host, OUTCOME);
    const status = await asNobody();
    expect(status).toMatchObject({ state: 'concluded', journal: 'only root may read it' });
    const text = statusText(status).split('\n');
    expect(text.slice(0, 5)).toEqual([
      'failed (exit status 1) in 9.0s, at 2026-11-21T06:00:09Z',
      '',
      expect.stringMatching(/^ {2}✔ write 3 files +100ms$/),
      expect.stringMatching(/^ {2}✘ kubeadm join +8.0s {2}2 attempts$/),
      '  · runcmd 2',
    ]);
    expect(text).toContain('kubeadm join: TokenUnknown');
    expect(text).toContain('The journal was not read: only root may read it. As root, this tells more.');
  });

  it('tells the verdict and what was noticed where the journal is damaged, and how much of it', async () => {
    const failed = {
      severity: 'warning',
      code: 'TokenUnknown',
      message: 'kubeadm join: The token is not valid.',
    } as const;
    const ignored = { severity: 'warning', code: 'UserDataIgnoredKey', message: 'foo is ignored.' } as const;
    await writeOutcome(host, { ...OUTCOME, findings: [failed, ignored] });
    await host.files.mkdir('/var/lib/slipway', 0o700);
    await host.files.write(JOURNAL, 'no record\n');
    const status = await readStatus(host);
    expect(status).toMatchObject({ state: 'concluded', steps: [{ state: 'done' }, { state: 'failed' }, {}] });
    expect(statusText(status)).toContain(
      [
        'Noticed',
        '  warning     foo is ignored. [UserDataIgnoredKey]',
        '',
        'The journal was not read as a whole: 10 bytes of it are damaged.',
      ].join('\n'),
    );
  });

  it('does not say that nothing has run where it cannot know', async () => {
    await writeJournal();
    const status = await asNobody();
    expect(status).toMatchObject({ state: 'unknown', steps: [] });
    expect(statusText(status)).toMatch(/^no verdict yet; whether Slipway is at work, only root can see/);
  });

  it('does not stumble over a verdict that another program has damaged', async () => {
    await host.files.write(OUTCOME_FILE, '{"version":1,"res');
    expect((await readStatus(host)).state).toBe('not started');
  });

  it('takes the verdict from the journal where its file is gone, but not while the agent is about to write it', async () => {
    const journal = await Journal.open(host);
    const steps = [{ id: 'kubeadm', title: 'kubeadm join', digest: 'd' }];
    const begin = async (pid: number) => {
      const run = { run: 'r', instance: 'i-1', agent: '0.1.0' } as const;
      await journal.append({ type: 'run.started', mode: 'bootstrap', pid, ...run });
      const sequence = { sequence: 's', digest: 'd', deadlineSeconds: 9, resumed: false };
      await journal.append({ type: 'sequence.started', run: 'r', steps, ...sequence });
      const failure = OUTCOME.failure as Failure;
      const end = { attempt: 1, result: 'failed', ms: 5, failure } as const;
      await journal.append({ type: 'step.ended', step: 'kubeadm', digest: 'd', ...end });
      const ended = { run: 'r', sequence: 's', result: 'failed', exitStatus: 1, ms: 7000, failure } as const;
      await journal.append({ type: 'sequence.ended', ...ended });
    };
    await begin(process.pid);
    expect(await readStatus(host)).not.toHaveProperty('outcome');
    await begin(0x7fff_ffff);
    await journal.close();
    const status = await readStatus(host);
    expect(status).toMatchObject({
      state: 'concluded',
      outcome: { result: 'failed', exitStatus: 1, step: 'kubeadm', failure: { code: 'TokenUnknown' } },
    });
    expect(statusText(status)).toMatch(/^failed \(exit status 1\) in 7.0s/);
  });

  it('calls no step done that a reset has undone', async () => {
    const journal = await Journal.open(host);
    const ids = ['disks', 'kubeadm', 'ready'];
    const steps = ids.map((id) => ({ id, title: id, digest: 'd' }));
    const begin = async (sequence: string, pid: number) => {
      const run = { run: sequence, instance: 'i-1', agent: '0.1.0' } as const;
      await journal.append({ type: 'run.started', mode: 'bootstrap', pid, ...run });
      const of = { run: sequence, sequence, digest: sequence, deadlineSeconds: 9, resumed: false };
      await journal.append({ type: 'sequence.started', steps, ...of });
    };
    await begin('a', 0x7fff_ffff);
    for (const step of ids)
      await journal.append({ type: 'step.ended', step, digest: 'd', attempt: 1, result: 'done', ms: 5 });
    await journal.append({
      type: 'sequence.ended',
      run: 'a',
      sequence: 'a',
      result: 'succeeded',
      exitStatus: 0,
      ms: 9,
    });
    await journal.append({ type: 'node.reset', run: 'a', scope: 'node' });
    await begin('b', process.pid);
    await journal.close();
    const states = (await readStatus(host)).steps.map(({ id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toEqual({ disks: 'done', kubeadm: 'waiting', ready: 'waiting' });
  });

  it('says that an agent is at work that has read no user data yet', async () => {
    const lock = await host.lock('agent');
    const status = await readStatus(host);
    expect(status).toEqual({ sentinel: false, state: 'running', steps: [] });
    expect(statusText(status)).toMatch(/^at work: the agent looks for the user data/);
    expect(statusText(await asNobody())).toMatch(/^no verdict yet/);
    if ('release' in lock) await lock.release();
    expect((await readStatus(host)).state).toBe('not started');
  });

  it('tells a reset, and a verdict that has come after it instead', async () => {
    const journal = await Journal.open(host);
    const run = { run: 'r', instance: 'i-1', agent: '0', mode: 'bootstrap', pid: 0x7fff_ffff } as const;
    const sequence = { run: 'r', sequence: 's', digest: 'd', deadlineSeconds: 9, resumed: false };
    await journal.append({ type: 'run.started', ...run });
    await journal.append({
      type: 'sequence.started',
      ...sequence,
      steps: [{ id: 'a', title: 'a', digest: 'd' }],
    });
    await journal.append({ type: 'node.reset', run: 'r', scope: 'node' });
    await journal.close();
    const reset = await readStatus(host);
    expect(reset).toMatchObject({ state: 'reset', steps: [] });
    expect(statusText(reset)).toBe('reset: taken back to what it was before (slipway reset)\n');
    await writeOutcome(host, { ...OUTCOME, result: 'bad-input', exitStatus: 2, steps: [] });
    const after = await readStatus(host);
    expect(after).toMatchObject({ state: 'concluded', steps: [] });
    expect(statusText(after)).toMatch(/^bad-input \(exit status 2\)/);
  });

  it('says that nothing has run where there is no journal', async () => {
    expect(statusText(await asNobody())).toBe('not started: Slipway has not run on this machine\n');
  });
});
