import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JOURNAL, OUTCOME } from '../../document/paths.ts';
import { parseJournal } from '../../engine/parse-journal.ts';
import { noteWiped } from '../../engine/wiped-note.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { FIRST, JOIN, KUBEADM, reruns } from '../fixtures/rerun.ts';
import { lastSuccess } from '../lifecycle/last-success.ts';
import { planAgain } from './plan-again.ts';

/** A machine's root is entered, which only root may do. */
describe.runIf(process.getuid?.() === 0)('another run after boot (needs root)', () => {
  const { run, at, text, openHost } = reruns();
  const ends = () =>
    parseJournal(Buffer.from(text(JOURNAL))).records.filter(({ type }) => type === 'sequence.ended');

  const SECOND = `write_files:
- {path: /etc/a, content: one}
- {path: /etc/b, content: two}
- {path: /etc/long, content: "x;", append: true}
bootcmd: [echo boot >>/log]
runcmd: [echo new >>/log, echo first >>/log, ${JOIN.replace('abcdef', 'fedcba')}, echo last >>/log, echo end >>/log]
`;

  it('does what has changed and nothing else, and never joins twice', async () => {
    expect((await run(FIRST, false)).outcome.result).toBe('succeeded');
    writeFileSync(at('etc/long'), 'x;and more');
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
    // What runs at every boot is as the user data is now.
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
    mkdirSync(at(seed), { recursive: true });
    writeFileSync(at(`${seed}/meta-data`), 'instance-id: i-1\n');
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
    mkdirSync(at(seed), { recursive: true });
    writeFileSync(at(`${seed}/meta-data`), 'instance-id: i-1\n');
    await run(FIRST, false, signal, seed);
    writeFileSync(at(`${seed}/meta-data`), 'instance-id: i-2\n');
    // What is left of the node before does not keep it from joining.
    writeFileSync(at('usr/bin/kubeadm'), KUBEADM.replace(/^.*exit 1\n/m, ''));
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
    rmSync(at('etc/kubernetes'), { recursive: true });
    expect((await run(FIRST, false)).outcome.result).toBe('succeeded');
    expect(text('etc/b')).toBe('one');
    expect(existsSync(at('etc/kubernetes/kubelet.conf'))).toBe(true);
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
    const host = openHost();
    const userData = Buffer.from(`#cloud-config\n${SECOND}`);
    const document = await readUserData(userData, { source: 'file', metaData: {} });
    const ofOther = (id: string) => planAgain(host, { ...document, instance: { ...document.instance, id } });
    expect(await ofOther('i-other')).toMatchObject({
      kind: 'refused',
      failure: { code: 'NothingToRepeat', cause: expect.stringContaining('the instance i-other') },
    });
    const { instance } = lastSuccess(parseJournal(Buffer.from(text(JOURNAL))).records) ?? {};
    expect(await ofOther(instance ?? '')).toMatchObject({ kind: 'again' });
  });

  it('runs a command that failed the last time once more', async () => {
    await run(FIRST, false);
    const data = `${FIRST.trimEnd().slice(0, -1)}, test -e /wanted && touch /c]\n`;
    for (let start = 0; start < 2; start += 1)
      expect((await run(data, true)).outcome).toMatchObject({ failure: { code: 'CommandFailed' } });
    writeFileSync(at('wanted'), '');
    expect((await run(data, true)).outcome.result).toBe('succeeded');
    expect(existsSync(at('c'))).toBe(true);
  });

  it.each([
    ['before any run', async () => undefined, 'NothingToRepeat', /No bootstrap has run on this machine yet/],
    [
      'for a node that was reset by hand',
      async () => {
        await run(FIRST, false);
        rmSync(at('etc/kubernetes'), { recursive: true });
      },
      'NothingToRepeat',
      /was a node, and what kubeadm had made of it is gone/,
    ],
    [
      'with user data that lost their secrets',
      async () => {
        await run(FIRST, false);
        const host = openHost();
        await noteWiped(host, Buffer.from(`#cloud-config\n${SECOND}`));
      },
      'UserDataWiped',
      /nobody can tell what has changed/,
    ],
  ])('does nothing %s, and leaves the verdict', async (_, before, code, cause) => {
    await before();
    const outcome = existsSync(at(OUTCOME)) ? text(OUTCOME) : undefined;
    expect((await run(SECOND, true)).outcome).toMatchObject({
      result: 'bad-input',
      failure: { code, cause: expect.stringMatching(cause) },
    });
    expect(existsSync(at(OUTCOME)) ? text(OUTCOME) : undefined).toBe(outcome);
    expect(existsSync(at('etc/b')) && text('etc/b')).not.toBe('two');
  });
});
