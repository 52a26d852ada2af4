import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../test/support/tiny-root.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import { JOURNAL, OUTCOME } from '../document/paths.ts';
import { parseJournal } from '../engine/parse-journal.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { noteWiped } from '../wipe/note.ts';
import { planAgain } from './again.ts';
import { lastSuccess } from './last-success.ts';
import { isUnfinished, planAnew, recordsOf } from './unfinished.ts';

const JOIN = 'kubeadm join --token abcdef.0123456789abcdef 10.0.0.1:6443';

/** Leaves what a node has, and refuses to join twice, as the real one does. */
const KUBEADM = `#!/bin/sh
[ "$1" = join ] || exit 0
echo joined >>/log
[ -e /etc/kubernetes/kubelet.conf ] && exit 1
mkdir -p /etc/kubernetes /var/lib/kubelet/pki
: >/etc/kubernetes/kubelet.conf
: >/var/lib/kubelet/pki/kubelet-client-current.pem
`;

describe.runIf(process.getuid?.() === 0)('another run after boot (needs root)', () => {
  let root: TinyRoot;
  beforeEach(() => {
    root = makeTinyRoot(['mkdir']);
    mkdirSync(join(root.path, 'usr/bin'), { recursive: true });
    writeFileSync(join(root.path, 'usr/bin/kubeadm'), KUBEADM);
    chmodSync(join(root.path, 'usr/bin/kubeadm'), 0o755);
  });
  afterEach(() => root.remove());

  const run = async (userData: string, isAgain: boolean, stop = new AbortController().signal, seed = '') => {
    const path = join(root.path, seed, 'user-data');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#cloud-config\n${userData}`);
    const told: string[] = [];
    const outcome = await bootstrap({
      host: createLinuxHost({ root: root.path }),
      agent: '0',
      ...(seed === '' ? { userDataFile: path } : {}),
      deadlineSeconds: 60,
      stop,
      isAgain,
      watcher: { record: () => undefined, output: (line) => void told.push(line) },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
    });
    return { outcome, told: told.join('\n') };
  };
  const text = (path: string) => readFileSync(join(root.path, path), 'utf8');
  const ends = () =>
    parseJournal(readFileSync(join(root.path, JOURNAL))).records.filter(
      ({ type }) => type === 'sequence.ended',
    );

  const FIRST = `write_files:
- {path: /etc/a, content: one}
- {path: /etc/b, content: one}
- {path: /etc/long, content: "x;", append: true}
bootcmd: [echo boot >>/log]
runcmd: [echo first >>/log, export V=one, ${JOIN}, echo last >>/log]
`;
  const SECOND = `write_files:
- {path: /etc/a, content: one}
- {path: /etc/b, content: two}
- {path: /etc/long, content: "x;", append: true}
bootcmd: [echo boot >>/log]
runcmd: [echo new >>/log, echo first >>/log, ${JOIN.replace('abcdef', 'fedcba')}, echo last >>/log, echo end >>/log]
`;

  it('does what has changed and nothing else, and never joins twice', async () => {
    expect((await run(FIRST, false)).outcome.result).toBe('succeeded');
    writeFileSync(join(root.path, 'etc/long'), 'x;and more');
    const { outcome, told } = await run(SECOND, true);
    expect(outcome).toMatchObject({
      result: 'succeeded',
      message: 'What has changed since the last success was done: 3 steps.',
    });
    expect(text('log').trim().split('\n')).toEqual(['boot', 'first', 'joined', 'last', 'new', 'end']);
    expect(text('etc/b')).toBe('two');
    expect(text('etc/long')).toBe('x;and more');
    expect(told).toMatch(/changed +files .*\n.*\/etc\/b/);
    expect(told).not.toContain('/etc/a');
    expect(told).toMatch(/left +kubeadm .*not joined again/);
    expect(told).toMatch(/gone +runcmd\/2 .*nothing of it is undone/);
    expect(ends()).toHaveLength(2);
    // A later boot with the same user data takes all of it for done.
    expect((await run(SECOND, false)).outcome).toMatchObject({
      result: 'succeeded',
      message: expect.stringContaining('nothing was left'),
    });
    expect((await run(SECOND, true)).outcome.message).toContain('Nothing has changed');
    expect(text('log').trim().split('\n')).toHaveLength(6);
  });

  it('runs nothing where nothing has changed, and leaves the verdict and the journal as they are', async () => {
    const { outcome: first } = await run(FIRST, false);
    const before = [text(JOURNAL), text(OUTCOME)];
    const { outcome, told } = await run(FIRST, true);
    expect(outcome).toMatchObject({ result: 'succeeded', exitStatus: 0, sequence: '', steps: [] });
    expect(outcome.message).toContain('Nothing has changed');
    expect(told).toBe('slipway: nothing has changed since the last success');
    expect([text(JOURNAL), text(OUTCOME)]).toEqual(before);
    expect(JSON.parse(text(OUTCOME))).toEqual(first);
  });

  it('does nothing at a boot of what has changed on a node, and says so, until it is asked for', async () => {
    await run(FIRST, false);
    const { outcome } = await run(SECOND, false);
    expect(outcome.result).toBe('succeeded');
    const [finding, ...others] = outcome.findings;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'warning', code: 'NodeLeftAsItIs' });
    expect(finding?.message).toMatch(
      /5 steps .*not done: files \(changed\), runcmd\/1 \(new\), preflight \(changed\), kubeadm \(changed\), runcmd\/5 \(new\)\..*--again/,
    );
    expect(text('log').trim().split('\n')).toEqual(['boot', 'first', 'joined', 'last']);
    expect(text('etc/b')).toBe('one');
    // What runs at every boot is as the user data are now.
    const boot = SECOND.replace('echo boot', 'echo other');
    expect((await run(boot, false)).outcome.findings).toMatchObject([{ code: 'NodeLeftAsItIs' }]);
    expect(text('log').trim().split('\n').at(-1)).toBe('other');
    expect((await run(boot, true)).outcome.message).toContain('was done: 3 steps');
    expect(text('log').trim().split('\n').slice(-2)).toEqual(['new', 'end']);
    expect((await run(boot, false)).outcome).toMatchObject({ result: 'succeeded', findings: [] });
  });

  it('keeps the secrets of user data that a boot leaves, until they are acted upon', async () => {
    const seed = 'var/lib/cloud/seed/nocloud';
    const signal = new AbortController().signal;
    mkdirSync(join(root.path, seed), { recursive: true });
    writeFileSync(join(root.path, seed, 'meta-data'), 'instance-id: i-1\n');
    const there = () => text(`${seed}/user-data`);
    await run(FIRST, false, signal, seed);
    expect(there()).not.toContain('0123456789abcdef');
    await run(SECOND, false, signal, seed);
    expect(there()).toContain('0123456789abcdef');
    expect((await run(SECOND, true, signal, seed)).outcome.message).toContain('was done: 3 steps');
    expect(there()).not.toContain('0123456789abcdef');
    // Its secrets are taken away also where there is nothing else to do.
    expect((await run(SECOND, true, signal, seed)).outcome).toMatchObject({ sequence: '' });
    expect(there()).not.toContain('0123456789abcdef');
  });

  it('does all user data at the first boot of another instance', async () => {
    const seed = 'var/lib/cloud/seed/nocloud';
    const signal = new AbortController().signal;
    mkdirSync(join(root.path, seed), { recursive: true });
    writeFileSync(join(root.path, seed, 'meta-data'), 'instance-id: i-1\n');
    await run(FIRST, false, signal, seed);
    writeFileSync(join(root.path, seed, 'meta-data'), 'instance-id: i-2\n');
    // What is left of the node before does not keep it from joining.
    writeFileSync(join(root.path, 'usr/bin/kubeadm'), KUBEADM.replace(/^.*exit 1\n/m, ''));
    const { outcome } = await run(SECOND, false, signal, seed);
    expect(outcome.result).toBe('succeeded');
    expect(outcome.findings.map(({ code }) => code)).not.toContain('NodeLeftAsItIs');
    expect(text('etc/b')).toBe('two');
  });

  it('lets a boot do other user data where kubeadm has not succeeded, and where the node is gone', async () => {
    const failing = FIRST.replace('echo first', 'false && echo first');
    expect((await run(`${failing}slipway: {onError: stop}\n`, false)).outcome.result).toBe('failed');
    expect((await run(SECOND, false)).outcome).toMatchObject({ result: 'succeeded', findings: [] });
    expect(text('etc/b')).toBe('two');
    rmSync(join(root.path, 'etc/kubernetes'), { recursive: true });
    expect((await run(FIRST, false)).outcome.result).toBe('succeeded');
    expect(text('etc/b')).toBe('one');
    expect(existsSync(join(root.path, 'etc/kubernetes/kubelet.conf'))).toBe(true);
  });

  it('leaves kubeadm alone at the next boot too when it was cut off', async () => {
    await run(FIRST, false);
    const stop = new AbortController();
    stop.abort();
    expect((await run(SECOND, true, stop.signal)).outcome.result).toBe('transient');
    expect((await run(SECOND, false)).outcome.result).toBe('succeeded');
    expect(text('log').match(/joined/g)).toHaveLength(1);
    // Nor does it run again what stands at another place now.
    expect(text('log').match(/first|last/g)).toHaveLength(2);
    // The boot goes on with what --again was asked for.
    expect(text('log').match(/new|end/g)).toEqual(['new', 'end']);
    expect(text('etc/b')).toBe('two');
  });

  it('runs all commands of each boot where one of them is new', async () => {
    await run(FIRST, false);
    await run(FIRST.replace('echo boot >>/log', 'echo boot >>/log, echo more >>/log'), true);
    expect(text('log').match(/boot|more/g)).toEqual(['boot', 'boot', 'more']);
  });

  it('does nothing for another instance than the one that was bootstrapped', async () => {
    await run(FIRST, false);
    const host = createLinuxHost({ root: root.path });
    const userData = Buffer.from(`#cloud-config\n${SECOND}`);
    const document = await readUserData(userData, { source: 'file', metaData: {} });
    const ofOther = (id: string) => planAgain(host, { ...document, instance: { ...document.instance, id } });
    expect(await ofOther('i-other')).toMatchObject({
      kind: 'refused',
      failure: { code: 'NothingToRepeat', cause: expect.stringContaining('the instance i-other') },
    });
    const { instance } = lastSuccess(parseJournal(readFileSync(join(root.path, JOURNAL))).records) ?? {};
    expect(await ofOther(instance ?? '')).toMatchObject({ kind: 'again' });
  });

  it('runs a command that failed the last time once more', async () => {
    await run(FIRST, false);
    const data = `${FIRST.trimEnd().slice(0, -1)}, test -e /wanted && touch /c]\n`;
    for (let start = 0; start < 2; start += 1)
      expect((await run(data, true)).outcome).toMatchObject({ failure: { code: 'CommandFailed' } });
    writeFileSync(join(root.path, 'wanted'), '');
    expect((await run(data, true)).outcome.result).toBe('succeeded');
    expect(existsSync(join(root.path, 'c'))).toBe(true);
  });

  const WANTING = `slipway: {kubeadm: none}
write_files:
- {path: /etc/a, content: one}
runcmd: [echo first >>/log, test -e /wanted && echo wanted >>/log, echo last >>/log]
`;

  it('runs a command anew that kept the bootstrap from succeeding, and only that', async () => {
    const { outcome } = await run(WANTING, false);
    expect(outcome.failure?.remedy).toContain('slipway bootstrap --again');
    expect((await run(WANTING, false)).outcome.failure?.cause).toContain('Nothing was tried now');
    expect((await run(WANTING, true)).outcome.failure?.cause).not.toContain('Nothing was tried now');
    writeFileSync(join(root.path, 'wanted'), '');
    expect((await run(WANTING, false)).outcome.result).toBe('failed');
    const { outcome: anew } = await run(WANTING, true);
    expect(anew).toMatchObject({ result: 'succeeded', message: 'The machine is bootstrapped.' });
    expect(JSON.parse(text(OUTCOME))).toEqual(anew);
    expect(text('log').trim().split('\n')).toEqual(['first', 'last', 'wanted']);
    expect((await run(WANTING, true)).outcome.message).toContain('Nothing has changed');
  });

  it('joins after a command that had ended the shell before kubeadm', async () => {
    const ending = FIRST.replace('export V=one', 'test -e /wanted || exit 1');
    expect((await run(ending, false)).outcome.failure?.code).toBe('CommandEndedScript');
    writeFileSync(join(root.path, 'wanted'), '');
    expect((await run(ending, false)).outcome.failure?.code).toBe('CommandEndedScript');
    expect((await run(ending, true)).outcome).toMatchObject({ result: 'succeeded', findings: [] });
    expect(text('log').trim().split('\n')).toEqual(['boot', 'first', 'joined', 'last']);
    expect((await run(ending, true)).outcome.message).toContain('Nothing has changed');
  });

  it('has a later start go on with what it was asked to run anew and was cut off from', async () => {
    await run(WANTING, false);
    writeFileSync(join(root.path, 'wanted'), '');
    const stop = new AbortController();
    stop.abort();
    expect((await run(WANTING, true, stop.signal)).outcome.result).toBe('transient');
    expect((await run(WANTING, false)).outcome.result).toBe('succeeded');
    expect(text('log').trim().split('\n')).toEqual(['first', 'last', 'wanted']);
  });

  it('leaves to cloud-init what that has run, where Slipway is only its kubeadm', async () => {
    await run(WANTING, false);
    const journal = join(root.path, JOURNAL);
    writeFileSync(journal, text(JOURNAL).replaceAll('"mode":"bootstrap"', '"mode":"shim"'));
    expect((await run(WANTING, true)).outcome).toMatchObject({
      result: 'bad-input',
      failure: {
        code: 'NothingToRepeat',
        remedy: expect.stringContaining('Call kubeadm join or init again'),
      },
    });
    expect(text('log').trim().split('\n')).toEqual(['first', 'last']);
  });

  it('shows before what it would run anew', async () => {
    await run(WANTING, false);
    const host = createLinuxHost({ root: root.path });
    const records = await recordsOf(host);
    expect(isUnfinished(records)).toBe(true);
    const data = Buffer.from(`#cloud-config\n${WANTING.trimEnd().slice(0, -1)}, echo more]\n`);
    const document = await readUserData(data, { source: 'file', metaData: {} });
    const changes = await planAnew(host, document, records);
    expect(changes.map(({ step, what }) => `${step.id} ${what}`)).toEqual([
      'files same',
      'runcmd/1 same',
      'runcmd/2 failed',
      'runcmd/3 same',
      'runcmd/4 new',
    ]);
  });

  it.each([
    ['before any run', async () => undefined, 'NothingToRepeat', /No bootstrap has run on this machine yet/],
    [
      'for a node that was reset by hand',
      async () => {
        await run(FIRST, false);
        rmSync(join(root.path, 'etc/kubernetes'), { recursive: true });
      },
      'NothingToRepeat',
      /was a node, and what kubeadm had made of it is gone/,
    ],
    [
      'with user data that lost their secrets',
      async () => {
        await run(FIRST, false);
        const host = createLinuxHost({ root: root.path });
        await noteWiped(host, Buffer.from(`#cloud-config\n${SECOND}`));
      },
      'UserDataWiped',
      /nobody can tell what has changed/,
    ],
  ])('does nothing %s, and leaves the verdict', async (_, before, code, cause) => {
    await before();
    const outcome = existsSync(join(root.path, OUTCOME)) ? text(OUTCOME) : undefined;
    expect((await run(SECOND, true)).outcome).toMatchObject({
      result: 'bad-input',
      failure: { code, cause: expect.stringMatching(cause) },
    });
    expect(existsSync(join(root.path, OUTCOME)) ? text(OUTCOME) : undefined).toBe(outcome);
    expect(existsSync(join(root.path, 'etc/b')) && text('etc/b')).not.toBe('two');
  });
});
