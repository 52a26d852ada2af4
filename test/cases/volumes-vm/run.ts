import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome } from '../../../src/protocol/outcome.ts';
import { rootWith, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';
import { PACKAGES } from '../facts-vm/virtual-machine.ts';

export const about =
  'arrays and encrypted volumes in a virtual machine, by the real mdadm, cryptsetup, clevis with tang, and update-grub';

/** A boot without KVM, in which keys are derived. */
export const onlyByName = true;

const TOOLS = ['mdadm', 'cryptsetup-bin', 'clevis-luks', 'tang', 'grub2-common'];
const KILLED = ['--create', 'luksFormat', 'luksOpen', 'bind'];

export async function run(say: (line: string) => void): Promise<void> {
  await withScratchRoot(await rootWith('volumes-vm', [...PACKAGES, ...TOOLS], say), async (root) => {
    await inside(root, 'exec bash -e /own/image.sh');
    await inside(root, '. /own/vm.sh');
    const folder = join(root.changes, 'work/vm/answers');
    const told = (name: string) =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : '';
    assert.equal(told('status'), '0', `${told('log')}\n${told('whole.log')}`);
    refused(told);
    say('an array and a volume over data are refused, and nothing of it is changed');
    made(told);
    say(
      `killed after ${KILLED.join(', ')}: array, volumes, keys and kernel arguments are as asked in the end`,
    );
    kept(told);
    say('again without the journal: assembled and opened, with all that was on them');
  });
}

type Told = (name: string) => string;

async function inside(root: ScratchRoot, script: string): Promise<void> {
  const binds = [
    { from: dirname(DIST), to: '/dist', readOnly: true },
    { from: join(import.meta.dirname, '../facts-vm'), to: '/case', readOnly: true },
    { from: import.meta.dirname, to: '/own', readOnly: true },
  ];
  const done = await root.run(script, { binds, timeoutMs: 2_000_000 });
  assert.equal(done.code, 0, `${script}: ${done.stdout}\n${done.stderr}`);
}

function refused(told: Told): void {
  for (const kind of ['array', 'luks']) {
    const { result, failure } = JSON.parse(told(`${kind}-over-data.json`)) as Outcome;
    assert.deepEqual([result, failure?.code], ['failed', 'DiskLeftAlone'], told(`${kind}-over-data.log`));
  }
  assert.match(told('before'), /vdf/);
  assert.equal(told('after'), told('before'));
}

function made(told: Told): void {
  for (const word of KILLED) assert.equal(told(`killed-${word}.status`), '137', told(`killed-${word}.log`));
  assert.equal(told('whole.status'), '0', told('whole.log'));
  assert.equal(told('files'), 'arrayplainbound');
  assert.match(told('array.detail'), /^MD_LEVEL=raid1$/m);
  assert.match(told('array.detail'), /^MD_DEVICES=2$/m);
  assert.match(told('array.detail'), /^MD_NAME=(?:any:)?data$/m);

  const plain = told('plain.dump');
  assert.match(plain, /^Version:\s+2$/m);
  assert.match(plain, /^Label:\s+PLAIN$/m);
  assert.match(plain, /^Flags:\s+allow-discards/m);
  assert.equal(told('key'), 'planted-key-0123456789');
  assert.equal(told('keys'), '700 root /etc/luks\n600 root /etc/luks/plain');
  assert.equal(told('leaks'), '');
  assert.doesNotMatch(told('run'), /luks/);

  const uuidOf = (dump: string) => /^UUID:\s+(\S+)$/m.exec(dump)?.[1];
  const bound = told('bound.dump');
  assert.equal(
    told('crypttab')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n'),
    `plain UUID=${uuidOf(plain)} /etc/luks/plain luks\nbound UUID=${uuidOf(bound)} none luks,_netdev`,
  );
  // The key that was made for the binding alone is gone.
  const slots = /^Keyslots:\n([\s\S]*?)^Tokens:/m.exec(bound)?.[1] ?? '';
  assert.deepEqual(slots.match(/^ {2}\d+: luks2$/gm), ['  1: luks2']);
  assert.match(told('bound.pins'), /^1: sss .*"tang":\[\{"url":"http:\/\/127\.0\.0\.1:8080"/);

  const kernels = told('grub.cfg').match(/^\s*linux\s.*$/gm) ?? [];
  assert.notEqual(kernels.length, 0);
  for (const line of kernels) assert.match(line, / slipway\.case=1(?: |$)/);
  assert.doesNotMatch(kernels.join('\n'), / quiet(?: |$)/m);
}

function kept(told: Told): void {
  assert.equal(told('again.status'), '0', told('again.log'));
  assert.match(told('again.log'), /data was there/);
  assert.match(told('again.log'), /plain was there; bound was there/);
  assert.equal(told('marks'), 'array was kept\nplain was kept\nbound was kept');
}
