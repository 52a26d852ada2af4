import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot } from '../../../test/support/tiny-root.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { BACKOFF } from '../../kit/backoff.ts';
import type { Failure, JournalRecord } from '../../protocol/journal.ts';
import { readStatus } from '../cli/text/read-status.ts';
import { JOURNAL, OUTCOME, OUTCOME_ASIDE } from '../document/paths.ts';
import { readOutcome } from '../engine/read-outcome.ts';
import { type Host, HostError } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { bootstrap } from './bootstrap.ts';

describe('bootstrap', () => {
  let root: string;
  beforeEach(() => {
    root = scratch();
    writeFileSync(join(root, 'user-data'), '#cloud-config\nhostname: a\nslipway: {kubeadm: none}\n');
  });

  const run = (host: Host, hooks: { fault?: Promise<never>; unwritten?: (failure: Failure) => void } = {}) =>
    bootstrap({
      host,
      agent: '0',
      userDataFile: join(root, 'user-data'),
      deadlineSeconds: 10,
      stop: new AbortController().signal,
      watcher: { record: () => undefined, output: () => undefined },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined, ...hooks },
    });

  it.each([
    ['nothing', '', '', undefined, 540],
    ['the user data', ', deadline: 20m', 'deadline: 3m\n', undefined, 1200],
    ["the machine's file", '', 'deadline: 3m\n', undefined, 180],
    ['the command line', ', deadline: 20m', 'deadline: 3m\n', 7, 7],
  ])('has the deadline that %s says', async (_who, key, settings, option, expected) => {
    writeFileSync(join(root, 'user-data'), `#cloud-config\nslipway: {kubeadm: none${key}}\n`);
    mkdirSync(join(root, 'etc/slipway'), { recursive: true });
    writeFileSync(join(root, 'etc/slipway/node.yaml'), settings);
    const records: JournalRecord[] = [];
    await bootstrap({
      host: createLinuxHost({ root }),
      agent: '0',
      userDataFile: join(root, 'user-data'),
      ...(option === undefined ? {} : { deadlineSeconds: option }),
      stop: new AbortController().signal,
      watcher: { record: (record) => void records.push(record), output: () => undefined },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
    });
    expect(records.find(({ type }) => type === 'sequence.started')).toMatchObject({
      deadlineSeconds: expected,
    });
  });

  it.each([
    ['continue', ['a', 'c'], 'done'],
    ['stop', ['a'], 'not run'],
  ])('after a command that failed, with onError: %s', async (onError, made, last) => {
    const tiny = makeTinyRoot();
    try {
      const data = `#cloud-config\nslipway: {kubeadm: none, onError: ${onError}}\nruncmd: [touch /a, "false", touch /c]\n`;
      writeFileSync(join(root, 'user-data'), data);
      const outcome = await run(createLinuxHost({ root: tiny.path }));
      expect(outcome).toMatchObject({ result: 'failed', failure: { code: 'CommandFailed' } });
      expect(outcome.failure?.cause).toContain('runcmd 2');
      expect(outcome.steps.at(-1)).toMatchObject({ id: 'runcmd/3', result: last });
      expect(['a', 'c'].filter((name) => existsSync(join(tiny.path, name)))).toEqual(made);
    } finally {
      tiny.remove();
    }
  });

  /** A machine that booted this many seconds ago, without systemd; something may come while it is waited for. */
  const young = (seconds: number, comes: () => void = () => undefined): Host => {
    const host = createLinuxHost({ root });
    let now = seconds * 1000;
    return {
      ...host,
      root: '/',
      clock: {
        ...host.clock,
        monotonic: () => now,
        sleep: async (ms, signal) => {
          // A heartbeat's time does not come.
          if (ms > BACKOFF.userData.capMs) return host.clock.sleep(ms, signal);
          now += ms;
          comes();
        },
      },
      processes: {
        ...host.processes,
        run: async () => ({ exitStatus: 2, stdout: '', stderr: '', timedOut: false, ms: 1 }),
      },
    };
  };

  it('goes on with the command that ended it, when its cause is gone', async () => {
    const tiny = makeTinyRoot();
    try {
      const commands = '[echo once >>/a, cat /wanted, touch /c]';
      const data = `#cloud-config\nslipway: {kubeadm: none, onError: stop}\nruncmd: ${commands}\n`;
      writeFileSync(join(root, 'user-data'), data);
      const host = createLinuxHost({ root: tiny.path });
      for (let start = 0; start < 2; start += 1)
        expect(await run(host)).toMatchObject({ result: 'failed', failure: { code: 'CommandFailed' } });
      writeFileSync(join(tiny.path, 'wanted'), '');
      expect(await run(host)).toMatchObject({ result: 'succeeded' });
      expect(readFileSync(join(tiny.path, 'a'), 'utf8')).toBe('once\n');
      expect(existsSync(join(tiny.path, 'c'))).toBe(true);
    } finally {
      tiny.remove();
    }
  });

  describe('without user data', () => {
    const SEED = 'var/lib/cloud/seed/nocloud';
    const seed = () => {
      mkdirSync(join(root, SEED), { recursive: true });
      writeFileSync(join(root, SEED, 'meta-data'), 'instance-id: i-1\n');
      writeFileSync(
        join(root, SEED, 'user-data'),
        '#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /etc/a, content: x, owner: "0:0"}]\n',
      );
    };
    const look = async (host: Host) => {
      const told: string[] = [];
      const outcome = await bootstrap({
        host,
        agent: '0',
        deadlineSeconds: 10,
        stop: new AbortController().signal,
        watcher: { record: () => undefined, output: (line) => void told.push(line) },
        verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
      });
      return { outcome, told };
    };

    it('waits for a seed while disks may still come, and says so once', async () => {
      const { outcome, told } = await look(young(30, seed));
      expect(outcome.result).toBe('succeeded');
      expect(told).toEqual([expect.stringMatching(/No source of user data.*the machine booted 30 s ago/)]);
    });

    it('waits for user data that a source has not got yet, and not where somebody names the empty file', async () => {
      const empty = () => {
        seed();
        writeFileSync(join(root, SEED, 'user-data'), '');
      };
      empty();
      const { outcome, told } = await look(young(30, seed));
      expect(outcome.result).toBe('succeeded');
      expect(told).toEqual([expect.stringMatching(/is empty.*the machine booted 30 s ago/)]);
      empty();
      expect((await look(young(130, seed))).outcome.failure?.code).toBe('UserDataEmpty');
      writeFileSync(join(root, 'user-data'), '');
      const late = () => writeFileSync(join(root, 'user-data'), '#cloud-config\nslipway: {kubeadm: none}\n');
      expect((await run(young(30, late))).failure?.code).toBe('UserDataEmpty');
    });

    it('takes no refusal for final while another one than the cloud may answer', async () => {
      const drive = join(root, 'var/lib/cloud/seed/config_drive');
      mkdirSync(join(drive, 'openstack/latest'), { recursive: true });
      writeFileSync(join(drive, 'openstack/latest/meta_data.json'), '{}');
      const { outcome, told } = await look(
        young(30, () => {
          rmSync(drive, { recursive: true, force: true });
          seed();
        }),
      );
      expect(told).toEqual([expect.stringMatching(/has no uuid.*the machine booted 30 s ago/)]);
      expect(outcome.result).toBe('succeeded');
    });

    it('gives up at the deadline on a unit that never ends its start, and names it', async () => {
      const shown = 'Id=local-fs.target\nLoadState=loaded\nActiveState=activating\nJob=1\nNRestarts=0\n';
      const host = young(600);
      const run = async () => ({ exitStatus: 0, stdout: shown, stderr: '', timedOut: false, ms: 1 });
      const { outcome, told } = await look({ ...host, processes: { ...host.processes, run } });
      expect(outcome).toMatchObject({ result: 'transient', failure: { code: 'UserDataNotFound' } });
      expect(outcome.failure?.cause).toMatch(
        /looked again until its deadline of 10.0s: .* is still starting \(local-fs.target is activating\)\.$/,
      );
      expect(told).toHaveLength(1);
    });

    it('gives up when the boot is over', async () => {
      const { outcome, told } = await look(young(100));
      expect(outcome).toMatchObject({ result: 'transient', failure: { code: 'UserDataNotFound' } });
      expect(told).toHaveLength(1);
      expect((await look(young(130, seed))).told).toEqual([]);
    });
  });

  it('looks again for what a label tells of, while drivers may still come', async () => {
    writeFileSync(
      join(root, 'user-data'),
      '#cloud-config\nslipway: {kubeadm: none, labels: {release: "{{ facts.os.id }}"}}\n',
    );
    const comes = () => {
      mkdirSync(join(root, 'etc'), { recursive: true });
      writeFileSync(join(root, 'etc/os-release'), 'ID=late\n');
    };
    expect(await run(young(130, comes))).toMatchObject({
      result: 'bad-input',
      failure: { code: 'UserDataTemplate' },
    });
    expect(await run(young(30, comes))).toMatchObject({ result: 'succeeded' });
  });

  it('concludes with an error that nobody caught, however far it is', async () => {
    const host = createLinuxHost({ root });
    const fault = Promise.withResolvers<never>();
    let asked = 0;
    // Hangs in the work, where the error comes; the verdict itself asks again.
    const bootId = () => {
      asked += 1;
      if (asked > 1) return host.bootId();
      setImmediate(() => fault.reject(new TypeError('undefined is not a function')));
      return new Promise<string>(() => undefined);
    };
    const outcome = await run({ ...host, bootId }, { fault: fault.promise });
    expect(outcome).toMatchObject({ result: 'failed', exitStatus: 1, failure: { code: 'InternalError' } });
    expect(JSON.parse(readFileSync(join(root, OUTCOME), 'utf8'))).toEqual(outcome);
  });

  it('writes a file again that another document has overwritten since', async () => {
    const host = createLinuxHost({ root });
    const give = (content: string) =>
      writeFileSync(
        join(root, 'user-data'),
        `#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /etc/a, content: ${content}, owner: "0:0"}]\n`,
      );
    for (const content of ['one', 'two', 'one']) {
      give(content);
      expect(await run(host)).toMatchObject({ result: 'succeeded' });
      expect(readFileSync(join(root, 'etc/a'), 'utf8')).toBe(content);
    }
  });

  it.each([
    ['is a node', true],
    ['is none', false],
  ])('says that the journal is damaged on a machine that %s', async (_, isNode) => {
    const host = createLinuxHost({ root });
    const files = ['/etc/kubernetes/kubelet.conf', '/var/lib/kubelet/pki/kubelet-client-current.pem'];
    if (isNode) for (const path of files) await host.files.write(path, 'x');
    writeFileSync(
      join(root, 'user-data'),
      '#cloud-config\nwrite_files: [{path: /etc/a, content: a, owner: "0:0"}]\nruncmd: [kubeadm join]\n',
    );
    await host.files.write(JOURNAL, Buffer.concat([randomBytes(3000), Buffer.from('\n'), randomBytes(50)]));
    const outcome = await run(host);
    expect(outcome.findings).toContainEqual({
      severity: 'warning',
      code: 'JournalDamaged',
      message: expect.stringMatching(/^\d+ bytes of the journal could not be read/),
    });
    expect(outcome.result === 'succeeded').toBe(isNode);
    expect((await host.files.stat('/etc/a')) === undefined).toBe(isNode);
    if (!isNode) return;
    const again = await run(host);
    expect(again).toMatchObject({ result: 'succeeded', findings: [] });
    expect(await host.files.stat('/etc/a')).toBeUndefined();
  });

  it('changes nothing where a file cannot be written, and goes on with what was begun', async () => {
    const host = createLinuxHost({ root });
    const text = (owner: string) =>
      `#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /etc/a}, {path: /etc/b, owner: ${owner}}]\n`;
    writeFileSync(join(root, 'user-data'), text('bob'));
    expect(await run(host)).toMatchObject({
      result: 'bad-input',
      failure: { code: 'FileNotWritten', cause: expect.stringMatching(/line 3, .* no user "bob"/) },
      steps: [],
    });
    expect(await host.files.stat('/etc/a')).toBeUndefined();
    writeFileSync(join(root, 'user-data'), text('root'));
    expect(await run(host)).toMatchObject({ result: 'succeeded' });
    mkdirSync(join(root, 'etc/c'));
    writeFileSync(join(root, 'user-data'), text('root').replace('/etc/b', '/etc/c'));
    expect(await run(host)).toMatchObject({ result: 'failed', failure: { code: 'FileNotWritten' } });
  });

  it('does nothing with user data that makes no node', async () => {
    const host = createLinuxHost({ root });
    writeFileSync(join(root, 'user-data'), '#cloud-config\nwrite_files: [{path: /etc/a, content: a}]\n');
    expect(await run(host)).toMatchObject({
      result: 'bad-input',
      exitStatus: 2,
      failure: { code: 'UserDataMakesNoNode' },
    });
    expect(await host.files.stat('/etc/a')).toBeUndefined();
  });

  it('says that nothing was asked for where nothing was', async () => {
    writeFileSync(join(root, 'user-data'), '#cloud-config\nslipway: {kubeadm: none}\n');
    expect((await run(createLinuxHost({ root }))).message).toBe(
      'The user data asks for nothing, and nothing was done.',
    );
  });

  it('tells when the verdict cannot be written, and gives it all the same', async () => {
    const host = createLinuxHost({ root });
    const write: Host['files']['write'] = async (path, ...rest) => {
      if (path === OUTCOME) throw new HostError(`writing ${path}: no space left on device`, 'ENOSPC', path);
      return host.files.write(path, ...rest);
    };
    const unwritten: Failure[] = [];
    const full = { ...host, files: { ...host.files, write } };
    const outcome = await run(full, { unwritten: (failure) => unwritten.push(failure) });
    expect(outcome.message).not.toBe('');
    expect(unwritten).toMatchObject([{ code: 'DiskFull', cause: expect.stringContaining(OUTCOME_ASIDE) }]);
    expect(await readOutcome(host)).toEqual(outcome);
    await run(host);
    expect(await host.files.stat(OUTCOME_ASIDE)).toBeUndefined();
  });

  describe.runIf(process.getuid?.() === 0)('where /run/slipway takes nothing (needs root)', () => {
    const mount = (...args: string[]) => execFileSync('mount', [...args, join(root, 'run/slipway')]);

    it.each([
      ['is full', 'DiskFull', ['size=4k'], []],
      ['has no inodes left', 'DiskFull', ['nr_inodes=2'], []],
      ['is read-only', 'FileSystemReadOnly', [], ['-o', 'remount,ro']],
    ])('leaves a verdict that status finds: it %s', async (_, code, options, then) => {
      const host = createLinuxHost({ root });
      const unwritten: Failure[] = [];
      mkdirSync(join(root, 'run/slipway'), { recursive: true });
      // As the agent makes it: where everybody may write, a file that is missing is anybody's.
      mount('-t', 'tmpfs', ...['mode=700', ...options].flatMap((option) => ['-o', option]), 'slipway-test');
      try {
        writeFileSync(join(root, 'run/slipway/filler'), Buffer.alloc(4096));
        if (then.length > 0) mount(...then);
        const outcome = await run(host, { unwritten: (failure) => unwritten.push(failure) });
        expect(outcome).toMatchObject({ result: 'transient', failure: { code } });
        expect(unwritten).toMatchObject([{ code }]);
        expect(await readStatus(host)).toMatchObject({ state: 'concluded', outcome });
      } finally {
        execFileSync('umount', [join(root, 'run/slipway')]);
      }
    });

    it('leaves one where it cannot be made', async () => {
      const host = createLinuxHost({ root });
      mkdirSync(join(root, 'run'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'slipway-test', join(root, 'run')]);
      try {
        const outcome = await run(host);
        expect(outcome).toMatchObject({ result: 'transient', failure: { code: 'FileSystemReadOnly' } });
        expect(await readStatus(host)).toMatchObject({ state: 'concluded', outcome });
      } finally {
        execFileSync('umount', [join(root, 'run')]);
      }
    });
  });
});
