import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { failed, failure } from '../failure.ts';
import { Journal } from '../journal.ts';
import type { SequenceOptions } from '../sequence.ts';
import type { Step } from '../step.ts';
import { runSequence } from './run-sequence.ts';

describe('a step that an earlier run has tried', () => {
  let root: string;
  let host: Host;
  let clock: ManualClock;
  beforeEach(() => {
    root = scratch();
    clock = new ManualClock();
    host = { ...createLinuxHost({ root }), clock };
  });

  const step = (id: string, run: Step['run'], more: Partial<Step> = {}): Step => ({
    ...{ id, title: id, digest: `digest of ${id}`, when: 'once', onFailure: 'stop', run },
    ...{ attempts: 3, backoff: { baseMs: 1, capMs: 1 } },
    ...more,
  });
  const runOf = async (steps: Step[], more: Partial<SequenceOptions> = {}) => {
    const journal = await Journal.open(host);
    const result = await runSequence({
      ...{ host, journal, steps, digest: 'd', mode: 'bootstrap', instance: 'i-1', agent: '0' },
      ...{ pid: process.pid, deadlineSeconds: 60, findings: [], commandsDecide: false },
      stop: new AbortController().signal,
      ...more,
    });
    await journal.close();
    return result;
  };

  /** Ends by this when the deadline cuts it off. */
  const cutOff = (code: Code): Step['run'] => {
    return async () => {
      await clock.advance(60_000);
      return { done: false, failure: failure(code, 'cut off'), retry: 'until-deadline' };
    };
  };
  /** One attempt that fails, and then the agent is told to stop. */
  const failsAndStops = async () => {
    const stop = new AbortController();
    let attempts = 0;
    const run: Step['run'] = async () => {
      attempts += 1;
      if (attempts > 1) stop.abort();
      return failed('ApiServerUnreachable', 'nobody answered then');
    };
    expect(await runOf([step('a', run)], { stop: stop.signal })).toMatchObject({ result: 'transient' });
  };

  it.each([
    ['bootstrap', /systemctl start slipway/],
    ['shim', /^Call kubeadm again/],
  ] as const)('says how it is begun again in the mode %s', async (mode, remedy) => {
    const stop = new AbortController();
    const run: Step['run'] = async () => {
      stop.abort();
      return failed('ApiServerUnreachable', 'nobody answered');
    };
    expect(await runOf([step('a', run)], { mode, stop: stop.signal })).toMatchObject({
      failure: { code: 'Interrupted', remedy: expect.stringMatching(remedy) },
    });
  });

  it('is cut off for its own reason, and not for that of the earlier run', async () => {
    await failsAndStops();
    expect(await runOf([step('a', cutOff('ContainerRuntimeDown'))])).toMatchObject({
      result: 'deadline-exceeded',
      failure: { code: 'ContainerRuntimeDown' },
    });
  });

  it('is cut off for the reason of the earlier run where it has none of its own', async () => {
    await failsAndStops();
    expect(await runOf([step('a', cutOff('DeadlineExceeded'))])).toMatchObject({
      result: 'deadline-exceeded',
      failure: { code: 'ApiServerUnreachable' },
    });
  });

  it('is cut off for the reason that its last whole attempt had', async () => {
    await failsAndStops();
    const cut = cutOff('ContainerRuntimeDown');
    let attempts = 0;
    const run: Step['run'] = async (context) => {
      attempts += 1;
      return attempts === 1 ? failed('ImagePullFailed', 'came to its end') : cut(context);
    };
    expect(await runOf([step('a', run, { attempts: 9 })])).toMatchObject({
      result: 'deadline-exceeded',
      failure: { code: 'ImagePullFailed' },
    });
  });

  it('is not run again for what it rests on where it came after that, in a run that was cut off since', async () => {
    const ran: string[] = [];
    const done = (id: string, more: Partial<Step> = {}): Step =>
      step(
        id,
        async () => {
          ran.push(id);
          return { done: true };
        },
        more,
      );
    const upper = done('filesystems', { restsOn: ['disks'] });
    const stop = new AbortController();
    const cut = step('late', async () => {
      stop.abort();
      return failed('DiskFull', 'cut off');
    });
    expect(await runOf([done('disks'), upper, cut], { stop: stop.signal })).toMatchObject({
      result: 'transient',
    });
    expect(await runOf([done('disks'), upper, done('late')])).toMatchObject({ result: 'succeeded' });
    expect(ran).toEqual(['disks', 'filesystems', 'late']);
  });

  it('hears that it was done otherwise before, but for the shim, which is asked for just this', async () => {
    const heard: (boolean | undefined)[] = [];
    const run: Step['run'] = async ({ doneOtherwise }) => {
      heard.push(doneOtherwise);
      return { done: true };
    };
    await runOf([step('a', run)]);
    await runOf([step('a', run, { digest: 'another' })], { digest: 'e' });
    await runOf([step('a', run, { digest: 'a third' })], { digest: 'f', mode: 'shim' });
    expect(heard).toEqual([false, true, false]);
  });
});
