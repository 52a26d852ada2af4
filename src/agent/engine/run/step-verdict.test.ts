import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { failure } from '../failure.ts';
import { Journal } from '../journal.ts';
import type { SequenceOptions, SequenceResult } from '../sequence.ts';
import type { Step } from '../step.ts';
import { runSequence } from './run-sequence.ts';

let host: Host;
let ran: string[];
/** What fails with a code does so until it is taken out. */
let wrong: Map<string, Code>;

beforeEach(() => {
  host = createLinuxHost({ root: scratch() });
  ran = [];
  wrong = new Map();
});

const step = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  title: id,
  digest: id,
  run: async () => {
    ran.push(id);
    const code = wrong.get(id);
    return code === undefined
      ? { done: true }
      : { done: false, failure: failure(code, 'it failed'), retry: 'no' };
  },
  ...more,
});
const setting = step('timezone', { onFailure: 'continue' });
const command = step('runcmd/1', { onFailure: 'continue', group: 'runcmd' });
const kubeadm = step('kubeadm', { group: 'runcmd' });

async function start(
  steps: Step[],
  more: Partial<SequenceOptions> = {},
): Promise<SequenceResult & { last: unknown }> {
  const journal = await Journal.open(host);
  const result = await runSequence({
    host,
    journal,
    steps,
    digest: 'd',
    mode: 'bootstrap',
    instance: 'i',
    agent: '0',
    pid: 1,
    deadlineSeconds: 60,
    stop: new AbortController().signal,
    findings: [],
    commandsDecide: !steps.includes(kubeadm),
    ...more,
  });
  await journal.close();
  return { ...result, last: journal.records.at(-1) };
}

it('tries a setting again that makes the verdict', async () => {
  wrong.set('timezone', 'SystemSettingFailed');
  expect((await start([setting])).failure).toMatchObject({ cause: 'It failed.' });
  expect((await start([setting])).failure).toMatchObject({ cause: 'It failed.' });
  wrong.clear();
  expect((await start([setting])).result).toBe('succeeded');
  expect(ran).toHaveLength(3);
});

it.each([
  ['a program that was not there', 'ToolMissing', {}, 3],
  ['a setting of a call of kubeadm', 'KernelModuleNotLoaded', { mode: 'shim' }, 3],
  ['no setting beside kubeadm', 'SystemSettingFailed', {}, 1],
] as const)(
  'looks again for %s until the machine is bootstrapped, and never after',
  async (_, code, how, runs) => {
    wrong.set('timezone', code).set('kubeadm', 'ImagePullDenied');
    for (let starts = 0; starts < 2; starts += 1) await start([setting, kubeadm], how);
    wrong.delete('kubeadm');
    const { findings } = await start([setting, kubeadm], how);
    expect(ran.filter((id) => id === 'timezone')).toHaveLength(runs);
    const told = 'Nothing was tried now: the step had its run before, and how that ended is told again. ';
    const until = 'Until the machine is bootstrapped, slipway bootstrap --again runs it anew.';
    expect(findings).toEqual([
      { severity: 'warning', code, message: `timezone: It failed.${runs === 1 ? ` ${told}${until}` : ''}` },
    ]);
    wrong.clear();
    const since = await start([setting, kubeadm], how);
    expect(since).toMatchObject({
      result: 'succeeded',
      ran: 0,
      findings: [{ message: expect.stringContaining('do by hand what it was to do') }],
    });
  },
);

it('names the way to run a command anew, in the verdict as in the journal, at once and when it is told again', async () => {
  wrong.set('runcmd/1', 'CommandEndedScript');
  const first = await start([command, kubeadm]);
  expect(first).toMatchObject({ result: 'failed', failedStep: 'runcmd/1', failure: { cause: 'It failed.' } });
  expect(first.failure?.remedy).toMatch(/slipway bootstrap --again then runs it anew and goes on/);
  const second = await start([command, kubeadm]);
  expect(second.failure).toEqual({
    ...first.failure,
    cause: expect.stringMatching(/^It failed\. Nothing was tried now/),
  });
  expect(second.last).toMatchObject({
    type: 'sequence.ended',
    failure: second.failure as object,
    failedStep: 'runcmd/1',
  });
  expect(ran).toEqual(['runcmd/1']);
});

it('runs a command anew without being asked where there was no shell', async () => {
  wrong.set('runcmd/1', 'ToolMissing');
  expect((await start([command, kubeadm])).failure?.remedy).not.toContain('--again');
  wrong.clear();
  expect((await start([command, kubeadm])).result).toBe('succeeded');
});
