import assert from 'node:assert/strict';
import { join } from 'node:path';
import { debianRoot, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import { copyCheckout } from './copy-checkout.ts';
import { npmAsOnHost } from './host-npm.ts';

export const about = "the README's commands work on a Debian that has npm and git from apt and nothing else";

/** Debian's npm is 9.2 in both, on Node.js 18 and 20. */
const SUITES = ['bookworm', 'trixie'];
const CHECKOUT = '/root/slipway';
/** Starts programs as `node`, which must be the project's here, too. */
const UNIT_TEST = 'build/node.test.ts';
const LIMIT_MS = 900_000;

type Say = (line: string) => void;

export async function run(say: Say): Promise<void> {
  for (const suite of SUITES) {
    const lower = await debianRoot(suite, ['npm', 'git'], say);
    await withScratchRoot([lower], (root) => runReadme(root, suite, say));
  }
}

async function runReadme(root: ScratchRoot, suite: string, say: Say): Promise<void> {
  copyCheckout(join(root.changes, CHECKOUT));
  const env = npmAsOnHost(root.changes);
  const sh = async (command: string, status = 0): Promise<string> => {
    const script = `cd ${CHECKOUT}\n${command}`;
    const { code, stdout, stderr } = await root.run(script, { env, network: true, timeoutMs: LIMIT_MS });
    assert.equal(code, status, `${command} on ${suite}: ${stdout}${stderr}`);
    return stdout + stderr;
  };
  const versions = await sh('echo "npm $(npm --version) on Node.js $(node --version)"');
  say(`${suite}: ${versions.trim()}`);

  const installed = await sh('npm ci');
  assert.doesNotMatch(installed, /EBADENGINE/);
  assert.ok(installed.split('\n').length < 10, `npm ci prints a page on ${suite}: ${installed}`);
  say(`npm ci: ${installed.trim()}`);

  await sh('npm run build');
  const commit = (await sh('git rev-parse --short=12 HEAD')).trim();
  assert.match(await sh('dist/slipway-linux-x64 version'), new RegExp(`commit ${commit}, Node\\.js v24\\.`));
  say('npm run build makes a program that runs');

  assert.match(await sh(`npm run test:unit -- ${UNIT_TEST}`), /Tests .*passed/);
  say(`npm run test:unit -- ${UNIT_TEST} passes`);

  // No machines can be made inside of this root; the demo must start, and say so. It installs nothing then.
  const demo = await sh('npm run demo', 1);
  assert.match(demo, /^ {2}- no control groups are mounted/m);
  assert.match(demo, /^ {2}- the program ip is missing: apt-get install iproute2$/m);
  say('npm run demo says what it lacks here');
}
