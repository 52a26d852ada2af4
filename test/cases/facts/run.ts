import assert from 'node:assert/strict';
import { execa, execaSync } from 'execa';
import type { Facts } from '../../../src/agent/facts/reading/facts.ts';
import { withoutNodeVariables } from '../../../src/kit/environment.ts';
import { compare, DMI, QUESTIONS } from '../../support/facts/compare.ts';
import { compareWithSystemInformation } from '../../support/facts/system-information.ts';
import { DIST } from '../../support/machines.ts';

export const about =
  'slipway facts on this machine says what lscpu, lsblk, ip, lsmem, systeminformation, and where they are lspci and dmidecode say';

/** The bound of the issue: what it takes at most. */
const MOST_KIB = 70 * 1024;
/** What a start of Node.js takes differs by as much from one measurement to the next. */
const SLACK_KIB = 8 * 1024;

export async function run(say: (line: string) => void): Promise<void> {
  const env = { ...(withoutNodeVariables(process.env) ?? process.env), LC_ALL: 'C' };
  const asked = (words: readonly string[]): string | undefined => {
    const [file = '', ...args] = words;
    const { stdout, failed } = execaSync(file, args, { env, extendEnv: false, reject: false });
    return failed ? undefined : stdout;
  };
  const facts = JSON.parse(asked([DIST, 'facts', '--output', 'json']) ?? '{}') as Facts;
  const questions: Readonly<Record<string, readonly string[]>> = {
    ...QUESTIONS,
    ...Object.fromEntries(Object.keys(DMI).map((word) => [word, ['dmidecode', '--string', word]])),
  };
  const compared = compare(facts, (name) => asked(questions[name] ?? []));
  assert.ok(compared.includes('lscpu') && compared.includes('lsblk'), 'nothing was there to compare with');
  say(
    `${compared.join(', ')} say the same: ${facts.cpu.threads} threads, ${facts.disks.length} disks, ${facts.interfaces.length} interfaces`,
  );
  await compareWithSystemInformation(facts);
  say('systeminformation says the same');

  const { stderr } = await execa('/usr/bin/time', ['--format=%M', DIST, 'facts'], {
    env,
    extendEnv: false,
    reject: false,
  });
  const kib = Number(/(\d+)\s*$/.exec(stderr)?.[1]);
  if (Number.isFinite(kib)) {
    say(`${Math.round(kib / 1024)} MiB at most`);
    assert.ok(kib <= MOST_KIB + SLACK_KIB, `${kib} KiB are more than it may take`);
  }
}
