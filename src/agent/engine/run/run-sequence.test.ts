import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { HEARTBEAT_MS, type JournalRecord } from '../../../protocol/journal.ts';
import { recordDone } from '../../bootstrap/lifecycle/record-steps.ts';
import { JOURNAL } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { failed, failure } from '../failure.ts';
import { Journal } from '../journal.ts';
import type { SequenceOptions } from '../sequence.ts';
import type { Step, StepResult } from '../step.ts';
import { runSequence } from './run-sequence.ts';

describe('runSequence', () => {
  let root: string;
  let host: Host;
  let clock: ManualClock;
  let ran: string[];

  beforeEach(() => {
    root = scratch();
    clock = new ManualClock();
    host = { ...createLinuxHost({ root }), clock };
    ran = [];
  });

  const step = (id: string, run: (attempt: number) => StepResult, more: Partial<Step> = {}): Step => ({
    id,
    title: id,
    digest: `digest of ${id}`,
    when: 'once',
    onFailure: 'stop',
    attempts: 3,
    backoff: { baseMs: 1, capMs: 1 },
    run: async ({ attempt }) => {
      ran.push(id);
      return run(attempt);
    },
    ...more,
  });
  const done = (id: string, more: Partial<Step> = {}) => step(id, () => ({ done: true }), more);

  const about = (journal: Journal, steps: Step[]): SequenceOptions => ({
    host,
    journal,
    steps,
    digest: 'd',
    mode: 'bootstrap',
    instance: 'i-1',
    agent: '0',
    pid: process.pid,
    deadlineSeconds: 60,
    stop: new AbortController().signal,
    findings: [],
    commandsDecide: false,
  });

  const sequence = async (steps: Step[], more: Partial<SequenceOptions> = {}) => {
    const journal = await Journal.open(host);
    const result = await runSequence({ ...about(journal, steps), ...more });
    await journal.close();
    return result;
  };

  const DONE: StepResult = { done: true };

  /** What a step sees of the journal: is all of it on the disk? */
  const watchSyncs = () => {
    let isSynced = true;
    const seen: [what: string, isSynced: boolean][] = [];
    const { openAppend } = host.files;
    host.files.openAppend = async (...where) => {
      const { append, ...handle } = await openAppend(...where);
      return {
        ...handle,
        append: async (data, durable = true) => {
          await append(data, durable);
          isSynced = durable;
        },
      };
    };
    const see = (what: string) => () => {
      seen.push([what, isSynced]);
      return DONE;
    };
    return { see, seen };
  };

  it('goes on while what a failure rests on is still starting, beyond the attempts of the step', async () => {
    const answers = ['it starts', 'it starts', 'it starts', 'it starts', undefined];
    const unsuitable = step('late', () => ({
      done: false,
      failure: failure('ContainerRuntimeUnsuitable', 'It does not speak CRI.'),
      retry: 'no',
    }));
    expect(await sequence([unsuitable], { notFinal: async () => answers.shift() })).toMatchObject({
      result: 'failed',
      failure: { code: 'ContainerRuntimeUnsuitable' },
    });
    expect(ran).toHaveLength(5);
    const told = readFileSync(join(root, JOURNAL), 'utf8');
    expect(told).toContain('it starts; the step is tried again');
  });

  it('says that it is alive while it asks what still starts', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string | undefined>();
    const lasting = step('a', () => ({ done: false, failure: failure('KubeadmNotFound', 'x'), retry: 'no' }));
    const running = sequence([lasting], {
      notFinal: () => {
        asked.resolve();
        return answer.promise;
      },
    });
    await asked.promise;
    await clock.advance(HEARTBEAT_MS);
    answer.resolve(undefined);
    await running;
    const types = readFileSync(join(root, JOURNAL), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as JournalRecord).type);
    expect(types.slice(-4)).toEqual(['step.started', 'heartbeat', 'step.ended', 'sequence.ended']);
  });

  it('tells once what each attempt finds', async () => {
    const flaky = step('a', () => ({ done: true }), {
      run: async ({ attempt, finding }) => {
        await finding({ severity: 'warning', code: 'SwapEnabled', message: 'swap is on' });
        return attempt < 3 ? failed('DiskFull', 'no space') : { done: true };
      },
    });
    expect((await sequence([flaky])).findings).toHaveLength(1);
  });

  it('runs again what rests on a step that it has run anew, also after it was cut off between the two', async () => {
    const missing: (boolean | undefined)[] = [];
    const stop = new AbortController();
    const upper = (run: Step['run']) => done('filesystems', { restsOn: ['disks'], run });
    const made = upper(async ({ isMissing }) => {
      missing.push(isMissing);
      return { done: true };
    });
    const other = done('disks', { digest: 'another' });
    await sequence([done('disks'), made]);
    await sequence([done('disks'), made]);
    expect(missing).toEqual([false]);
    const cut = upper(async () => {
      stop.abort();
      return failed('DiskFull', 'cut off');
    });
    await sequence([other, cut], { digest: 'e', stop: stop.signal });
    await sequence([other, made], { digest: 'e' });
    expect(missing).toEqual([false, true]);
    await sequence([other, made], { digest: 'e' });
    await sequence([other, made], { digest: 'e' });
    expect(missing).toEqual([false, true]);
    expect(ran).toEqual(['disks', 'disks']);
  });

  it.each([
    ['holds', true, 'succeeded'],
    ['does not hold', false, 'failed'],
  ])('lets a step decide whose proof %s', async (_, holds, result) => {
    const passed = step('a', () => failed('UserNotCreated', 'no'), { attempts: 1, onFailure: 'continue' });
    const node = done('node', { decides: true, holds: async () => holds });
    expect((await sequence([passed, node], { commandsDecide: true })).result).toBe(result);
  });

  it('does again what has changed, whatever its proof says', async () => {
    for (const redo of [undefined, true] as const)
      await sequence([done('a', { holds: async () => true, ...(redo ? { redo } : {}) })]);
    expect(ran).toEqual(['a', 'a']);
  });

  it('notes for later boots what a success leaves, and nothing of a failure', async () => {
    mkdirSync(join(root, 'etc'));
    writeFileSync(join(root, 'etc/machine-id'), 'm-1\n');
    const note = {};
    await sequence([step('a', () => failed('DiskFull', 'no space'), { attempts: 1 })], { note });
    await sequence([done('b')], { note });
    const ends = readFileSync(join(root, JOURNAL), 'utf8').match(/"sequence\.ended".*/g) ?? [];
    expect(ends.map((end) => end.includes('"noted":{"machine":"m-1"}'))).toEqual([false, true]);
  });

  it('runs steps in order, once per instance', async () => {
    expect(await sequence([done('a'), done('b')])).toMatchObject({ result: 'succeeded', exitStatus: 0 });
    expect(await sequence([done('a'), done('b'), done('c')])).toMatchObject({ result: 'succeeded' });
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('has everything on disk before a step runs, before what it kept is freed, and at the end', async () => {
    const { see, seen } = watchSyncs();
    await sequence([
      step('a', see('a runs')),
      step('b', see('b runs'), { settled: async () => void see('b is settled')() }),
      step('c', see('c runs')),
    ]);
    see('the end')();
    expect(seen).toEqual(
      ['a runs', 'b runs', 'b is settled', 'c runs', 'the end'].map((what) => [what, true]),
    );
  });

  it('does not wait for the disk before steps that may be done twice, as long as nothing else is lost with them', async () => {
    const { see, seen } = watchSyncs();
    const twice = (id: string) => step(id, see(id), { repeatable: true });
    const late = (attempt: number) => {
      see('late')();
      return attempt < 2 ? failed('DiskFull', 'no space') : DONE;
    };
    const steps = [
      twice('files'),
      twice('hostname'),
      step('command', see('command')),
      twice('time'),
      twice('locale'),
      step('late', late, { repeatable: true }),
    ];
    await sequence(steps);
    see('the end')();
    expect(seen).toEqual([
      ['files', false],
      ['hostname', false],
      ['command', true],
      ['time', true],
      ['locale', false],
      ['late', false],
      ['late', true],
      ['the end', true],
    ]);
    seen.length = 0;
    // Another agent does not know what is on the disk of what the one before it has done.
    await sequence([...steps, twice('ntp'), twice('swap')]);
    expect(seen).toEqual([
      ['ntp', true],
      ['swap', false],
    ]);
  });

  it('has on disk what is never to be done before a step runs, whatever the step is', async () => {
    const { see, seen } = watchSyncs();
    const journal = await Journal.open(host);
    const files = step('files', see('files'), { repeatable: true });
    const options = about(journal, [files]);
    await recordDone({ ...options, steps: [done('left')], message: 'left as it is' });
    await runSequence(options);
    await journal.close();
    expect(seen).toEqual([['files', true]]);
  });

  it('lets the first unfinished step of each group begin its preparations before anything runs', async () => {
    const command = (id: string, group = 'runcmd') =>
      done(id, { group, ahead: async () => void ran.push(`${id} ahead`) });
    await sequence([command('boot', 'bootcmd'), done('files'), command('c1'), command('c2')]);
    expect(ran).toEqual(['c1 ahead', 'boot', 'files', 'c1', 'c2']);
    ran = [];
    const more = [done('users'), command('c3'), done('kubeadm', { group: 'runcmd' }), command('c4')];
    await sequence([command('c1'), command('c2'), ...more]);
    expect(ran).toEqual(['c3 ahead', 'users', 'c3', 'kubeadm', 'c4']);
    ran = [];
    await sequence([done('late'), done('kubeadm', { group: 'runcmd' }), command('c5')]);
    expect(ran).toEqual(['late', 'c5']);
  });

  it('runs all again for another instance, whose journal this is not', async () => {
    await sequence([done('a')]);
    await sequence([done('a')], { instance: 'i-2' });
    expect(ran).toEqual(['a', 'a']);
  });

  it('does not take a step for finished when what it did no longer holds', async () => {
    await sequence([done('a')]);
    await sequence([done('a', { holds: async () => false })]);
    expect(ran).toEqual(['a', 'a']);
  });

  it('does again what another document has overwritten since, unless it can be seen to hold', async () => {
    const [mine, other] = [{ digest: 'mine' }, { digest: 'other' }];
    const holds = async () => true;
    await sequence([done('files', mine), done('kubeadm', { ...mine, holds })], { digest: 'A' });
    await sequence([done('files', other), done('kubeadm', { ...other, holds })], { digest: 'B' });
    ran = [];
    await sequence([done('files', mine), done('kubeadm', { ...mine, holds })], { digest: 'A' });
    await sequence([done('files', mine), done('kubeadm', { ...mine, holds })], { digest: 'A' });
    expect(ran).toEqual(['files']);
  });

  it('runs an every-boot step again after a reboot, and only then', async () => {
    const steps = [done('a', { when: 'every-boot' }), done('b')];
    await sequence(steps);
    await sequence(steps);
    expect(ran).toEqual(['a', 'b']);
    host = { ...host, bootId: async () => 'another boot' };
    await sequence(steps);
    expect(ran).toEqual(['a', 'b', 'a']);
  });

  it('notes how many steps an earlier run has finished', async () => {
    const steps = [
      done('a', { when: 'every-boot' }),
      done('b'),
      step('c', () => failed('DiskFull', 'no space')),
    ];
    await sequence(steps);
    await sequence(steps);
    host = { ...host, bootId: async () => 'another boot' };
    await sequence(steps);
    const records = (await Journal.open(host)).records;
    expect(
      records.flatMap((record) => (record.type === 'sequence.started' ? [record.ranBefore] : [])),
    ).toEqual([undefined, 2, 1]);
  });

  it('retries what is transient as often as the policy says, then gives up for this boot', async () => {
    const flaky = step('a', () => failed('DiskFull', 'no space'));
    expect(await sequence([flaky, done('b')])).toMatchObject({
      result: 'transient',
      exitStatus: 75,
      failedStep: 'a',
      failure: { code: 'DiskFull', cause: 'No space.' },
    });
    expect(ran).toEqual(['a', 'a', 'a']);
  });

  it('does not retry what is permanent', async () => {
    const broken = step('a', () => failed('FileNotWritten', 'no such user'));
    expect(await sequence([broken])).toMatchObject({ result: 'failed', exitStatus: 1 });
    expect(ran).toEqual(['a']);
  });

  it('succeeds after a transient failure and tells the attempts', async () => {
    const flaky = step('a', (attempt) => (attempt < 3 ? failed('DiskFull', 'no space') : { done: true }));
    expect(await sequence([flaky])).toMatchObject({
      result: 'succeeded',
      steps: [{ id: 'a', attempts: 3, result: 'done' }],
    });
  });

  it('keeps the attempt budget over a kill', async () => {
    const killed = step('a', (attempt) => {
      if (attempt === 2) throw new Killed();
      return failed('DiskFull', 'no space');
    });
    await expect(killable([killed])).rejects.toThrow(Killed);
    expect(await sequence([step('a', () => failed('DiskFull', 'no space'))])).toMatchObject({
      result: 'transient',
    });
    expect(ran).toEqual(['a', 'a', 'a']);
  });

  it('tells a step that it was cut off', async () => {
    await expect(
      killable([
        step('a', () => {
          throw new Killed();
        }),
      ]),
    ).rejects.toThrow(Killed);
    const seen: boolean[] = [];
    const again = done('a', {
      run: async ({ interrupted }) => {
        seen.push(interrupted);
        return { done: true };
      },
    });
    await sequence([again]);
    expect(seen).toEqual([true]);
  });

  it('goes on after a failure that it is to tolerate, tells it, and does not repeat it', async () => {
    const bad: StepResult = { done: false, failure: failure('CommandFailed', 'exit 1'), retry: 'no' };
    const steps = [step('a', () => bad, { onFailure: 'continue' }), done('b')];
    expect(await sequence(steps)).toMatchObject({
      result: 'succeeded',
      findings: [{ code: 'CommandFailed' }],
    });
    expect(await sequence([...steps, done('c')], { digest: 'e' })).toMatchObject({
      result: 'succeeded',
      findings: [{ code: 'CommandFailed' }],
    });
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(await sequence(steps, { commandsDecide: true })).toMatchObject({
      result: 'failed',
      failedStep: 'a',
      findings: [{ message: expect.stringMatching(/^a: Exit 1\. Nothing was tried now/) }],
    });
  });

  it('tells again what a step that is not run again had found in the user data', async () => {
    const message = 'There is no SELinux here.';
    const finding = { severity: 'warning', code: 'AccountSettingIgnored', message, where: '3:5' } as const;
    const user = step('user', () => ({ done: true }), {
      run: async (context) => {
        await context.finding(finding);
        await context.finding({ severity: 'warning', code: 'SwapEnabled', message: 'swap is on' });
        return { done: true };
      },
    });
    expect((await sequence([user])).findings).toHaveLength(2);
    expect((await sequence([user])).findings).toEqual([finding]);
    expect((await sequence([user])).findings).toEqual([finding]);
  });

  it.each(['CommandEndedScript', 'ToolMissing'] as const)(
    'does not run the rest of a group whose shell is gone: %s',
    async (code) => {
      const exit: StepResult = { done: false, failure: failure(code, 'exit 1'), retry: 'no' };
      const steps = [
        step('a', () => exit, { onFailure: 'continue', group: 'shell' }),
        done('b', { onFailure: 'continue', group: 'shell' }),
        done('kubeadm', { group: 'shell' }),
      ];
      expect(await sequence(steps)).toMatchObject({
        result: 'failed',
        failure: { code },
      });
      expect(ran).toEqual(['a']);
    },
  );

  it('ends at the soft deadline with the last failure, counting the time of earlier runs', async () => {
    const slow = (cost: number, after: () => StepResult) =>
      step('a', after, {
        run: async ({ progress }) => {
          ran.push('a');
          await clock.advance(cost);
          await progress('at work');
          return after();
        },
      });
    const killedLate = slow(40_000, () => {
      throw new Killed();
    });
    await expect(killable([killedLate])).rejects.toThrow(Killed);
    await clock.advance(3_600_000); // The machine was off for an hour, which is nobody's working time.
    const result = await sequence([slow(20_000, () => failed('Unclassified', 'still nothing'))]);
    expect(result).toMatchObject({
      result: 'deadline-exceeded',
      exitStatus: 3,
      failure: { code: 'Unclassified' },
    });
    expect(ran).toEqual(['a', 'a']);
  });

  it('stops a step at the soft deadline', async () => {
    const endless = step('a', () => ({ done: true }), {
      run: async ({ signal }) => {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await clock.advance(60_000);
        await stopped;
        return { done: false, failure: failure('Unclassified', 'cut off'), retry: 'no' };
      },
    });
    expect(await sequence([endless])).toMatchObject({ failure: { code: 'Unclassified' }, ms: 60_000 });
  });

  it('loses a line of progress that no disk takes, and not the step', async () => {
    const journal = await Journal.open(host);
    const append: Journal['append'] = async (body) => {
      if (body.type !== 'step.progress') return journal.append(body);
      throw new HostError('writing the journal: no space left on device', 'ENOSPC');
    };
    const log = step('kubeadm', () => ({ done: true }), {
      run: async ({ progress }) => {
        // As kubeadm's lines are told: nobody waits for them.
        void progress('kubeadm [kubelet-start]', true);
        await progress('at work');
        return { done: true };
      },
    });
    const full = Object.assign(Object.create(journal), { append });
    const result = await runSequence(about(full, [log]));
    await journal.close();
    expect(result).toMatchObject({ result: 'succeeded' });
    expect(readFileSync(join(root, JOURNAL), 'utf8')).not.toContain('at work');
  });

  it('counts its deadline from the start of the agent', async () => {
    const startedAt = clock.monotonic();
    await clock.advance(40_000);
    let leftMs = 0;
    const asks = step('a', () => ({ done: true }), {
      run: async ({ remainingMs }) => {
        leftMs = remainingMs();
        return { done: true };
      },
    });
    await sequence([asks], { deadlineSeconds: 60, startedAt });
    expect(leftMs).toBe(17_000);
  });

  it('says that it is alive while a step runs, and no longer', async () => {
    const long = step('a', () => ({ done: true }), {
      run: async () => {
        for (const _ of [1, 2, 3]) await clock.advance(HEARTBEAT_MS);
        return { done: true };
      },
    });
    await sequence([long], { deadlineSeconds: 600 });
    await clock.advance(HEARTBEAT_MS);
    expect(records().filter(({ type }) => type === 'heartbeat')).toHaveLength(3);
  });

  it('goes on with the attempt of a run that outlived its agent, and spends none', async () => {
    const killed = step('a', () => {
      throw new Killed();
    });
    await expect(killable([killed])).rejects.toThrow(Killed);
    const flaky = step('a', () => failed('DiskFull', 'no space'), { isUnderWay: async () => true });
    expect(await sequence([flaky])).toMatchObject({ result: 'transient', steps: [{ attempts: 3 }] });
    expect(ran).toEqual(['a', 'a', 'a', 'a']);
    const begun = records().flatMap((record) => (record.type === 'step.started' ? [record.attempt] : []));
    expect(begun).toEqual([1, 1, 2, 3]);
  });

  it('leaves the sequence open when it is told to stop, so that the next run goes on with it', async () => {
    const controller = new AbortController();
    const stopped = step('b', () => {
      controller.abort();
      return { done: false, failure: failure('CommandFailed', 'terminated'), retry: 'no' };
    });
    const first = await sequence([done('a'), stopped], { stop: controller.signal });
    expect(first).toMatchObject({ result: 'transient', exitStatus: 75, failure: { code: 'Interrupted' } });
    const second = await sequence([done('a'), done('b')]);
    expect(second.sequence).toBe(first.sequence);
    expect(second.result).toBe('succeeded');
    expect(ran).toEqual(['a', 'b', 'b']);
  });

  it('turns an error of the machine into a code', async () => {
    const full = step('a', () => {
      throw new HostError('writing /x: no space left on device', 'ENOSPC', '/x');
    });
    expect(await sequence([full])).toMatchObject({ result: 'transient', failure: { code: 'DiskFull' } });
  });

  it('mends a torn journal and goes on', async () => {
    await sequence([done('a')]);
    const path = join(root, JOURNAL);
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"v":1,"seq":99,"ti`);
    expect(await sequence([done('a'), done('b')])).toMatchObject({ result: 'succeeded' });
    expect(ran).toEqual(['a', 'b']);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.filter(({ type }) => type === 'journal.repaired')).toHaveLength(1);
  });

  it('comes to a verdict when the journal cannot be written, and runs nothing then', async () => {
    const journal = await Journal.open(host);
    journal.append = async () => {
      throw new HostError('writing the journal: no space left on device', 'ENOSPC');
    };
    const result = await runSequence(about(journal, [done('a')]));
    expect(result).toMatchObject({ result: 'transient', failure: { code: 'DiskFull' } });
    expect(ran).toEqual([]);
  });

  const records = (): JournalRecord[] =>
    readFileSync(join(root, JOURNAL), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  /** Like `sequence`, but a thrown Killed ends the agent there, with nothing more written. */
  async function killable(steps: Step[]): Promise<void> {
    const journal = await Journal.open(host);
    const dying = steps.map((each) => ({
      ...each,
      run: async (context: Parameters<Step['run']>[0]) => {
        try {
          return await each.run(context);
        } catch (error) {
          if (error instanceof Killed) journal.append = () => Promise.reject(error);
          throw error;
        }
      },
    }));
    const append = journal.append.bind(journal);
    const result = await runSequence(about(journal, dying));
    if (journal.append !== append && result.failure?.code === 'InternalError') throw new Killed();
  }
});

class Killed extends Error {}
