import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, until, type WindowsMachine } from './windows-machine.ts';

const JOINED = 'success \r\n';
const SUPPORT = 'C:\\ProgramData\\slipway\\support.tar.zst';
const SENTINEL = 'run/cluster-api/bootstrap-success.complete';

const SUCCESS = 'negative/join-succeeded-after-trouble.txt';
/** Of six releases; what each means stands at its head. */
const FAILURES = [
  ...['join-1.20-token-secret.txt', 'join-1.29-kubelet-skew.txt', 'join-1.31-token-slip.txt'],
  ...['join-1.33-wrong-ca-hash-v5.txt', 'join-1.34-unknown-flag.txt', 'join-1.36-unknown-flag.txt'],
  'join-1.36-wrong-token-secret-v5.txt',
];
/** The API server does not answer: that may pass. */
const PASSING = 'join-1.35-unreachable-api-refused-timeout20s-v5.txt';

/** What kubeadm has said, below src/agent/diagnosis/fixtures. */
export const TRANSCRIPTS = [SUCCESS, ...FAILURES, PASSING];

/**
 * The line of Cluster API's kubeadm provider, in a file of commands as cloudbase-init makes it of `runcmd`. Its last path has
 * slashes, with which Wine's cmd finds no file.
 */
const RUNCMD =
  'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > \\run\\cluster-api\\bootstrap-success.complete';

/** What an earlier bootstrap of this machine has left. */
const LEFT = ['ProgramData/slipway', 'run/slipway', 'etc/kubernetes', 'var/lib/kubelet', SENTINEL];

/**
 * What cloudbase-init's write_files has put there, a kubeadm, and a service kubelet that runs. Under Wine that is one of its own
 * programs for services, which the next boot starts.
 */
export async function prepareJoin(machine: WindowsMachine): Promise<void> {
  const { shared, onC } = machine;
  for (const folder of ['k', 'run/kubeadm', 'run/cluster-api']) mkdirSync(onC(folder), { recursive: true });
  const put = (name: string, path: string) => copyFileSync(join(shared, name), onC(path));
  put('node.exe', 'k/kubeadm.exe');
  put('config.yaml', 'run/kubeadm/kubeadm-join-config.yaml');
  for (const name of ['join.js', 'version.js', 'reset.js', 'alpha.js']) put(name, name);
  const program = 'C:\\windows\\system32\\spoolsv.exe';
  const made = machine.isWine
    ? await machine.run('sc.exe', 'create', 'kubelet', 'binPath=', program, 'start=', 'auto')
    : await machine.run('powershell.exe', '-ExecutionPolicy', 'Bypass', '-File', 'S:\\kubelet-service.ps1');
  assert.equal(made.status, 0, `${made.stdout}${made.stderr}`);
}

/** kubeadm's failure is explained, and its status arrives; that of a command which Slipway has nothing to do with, too. */
export async function expectFailures(machine: WindowsMachine): Promise<void> {
  await machine.boot(async ({ commands }) => {
    for (const transcript of FAILURES) {
      behave(machine, 'fail', transcript);
      const text = readFileSync(join(machine.shared, 'transcript'), 'utf8');
      const head = (key: string) => new RegExp(`^# ${key}: (.*)$`, 'm').exec(text)?.[1];
      const failed = await commands(RUNCMD);
      assert.equal(failed.status, Number(head('exit')), `${transcript}: ${failed.stderr}`);
      assert.ok(failed.stderr.includes(`[${head('code')}]`), `${transcript}: ${failed.stderr}`);
      assert.equal(existsSync(machine.onC(SENTINEL)), false);
      // What is kept for support is told by the name that it has there.
      assert.ok(failed.stderr.includes(`${SUPPORT}\n`), failed.stderr);
      assert.equal(outcomeOf(machine).support, SUPPORT);
      forget(machine);
    }
  });
  assert.equal((await machine.run('kubeadm', 'alpha')).status, 1001);
}

/** An API server that does not answer, as kubeadm 1.35 says it: the next attempt of the same call joins. */
export async function expectRetriedJoin(machine: WindowsMachine): Promise<void> {
  behave(machine, 'fail-once', PASSING);
  expectJoined(machine, await machine.commands(RUNCMD));
  assert.match(calls(machine), /^join .*\n(?:reset\n)?join .*\n$/);
  forget(machine);
}

/** The agent is killed while kubeadm is at work, which ends with it; the next call clears up and joins. */
export async function expectResumedJoin(machine: WindowsMachine): Promise<void> {
  behave(machine, 'hang', SUCCESS);
  await machine.boot(async ({ commands, end }) => {
    const killed = commands(RUNCMD);
    await until(() => existsSync(join(machine.shared, 'hangs')));
    await end(agentOf(machine));
    await killed;
  });
  assert.equal(existsSync(machine.onC(SENTINEL)), false);
  behave(machine, 'join', SUCCESS);
  expectJoined(machine, await machine.commands(RUNCMD));
  assert.match(calls(machine), /^join .*\nreset\njoin .*\n$/);
  const journal = readFileSync(machine.onC('ProgramData/slipway/journal.jsonl'), 'utf8');
  assert.equal(journal.match(/"type":"run\.started"/g)?.length, 2, journal);
  assert.doesNotMatch(journal, /abcdef\.0123456789abcdef/);
}

/** PID of the agent that is at work. */
export function agentOf({ onC }: WindowsMachine): string {
  return readFileSync(onC('run/slipway/agent.lock.pid'), 'utf8');
}

/** @param behaviour `join`, `fail`, `fail-once` or `hang` */
export function behave({ shared }: WindowsMachine, behaviour: string, transcript = SUCCESS): void {
  writeFileSync(join(shared, 'behaviour'), behaviour);
  copyFileSync(join(shared, transcript.replace('/', '-')), join(shared, 'transcript'));
  for (const left of behaviour === 'join' ? ['hangs'] : ['hangs', 'calls'])
    rmSync(join(shared, left), { force: true });
}

function expectJoined(machine: WindowsMachine, { status, stderr }: Ended): void {
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(machine.onC(SENTINEL), 'utf8'), JOINED);
  assert.partialDeepStrictEqual(outcomeOf(machine), { result: 'succeeded', exitStatus: 0, mode: 'shim' });
}

const outcomeOf = ({ onC }: WindowsMachine) =>
  JSON.parse(readFileSync(onC('run/slipway/outcome.json'), 'utf8'));

const calls = ({ shared }: WindowsMachine): string => readFileSync(join(shared, 'calls'), 'utf8');

function forget({ onC }: WindowsMachine): void {
  for (const path of LEFT) rmSync(onC(path), { recursive: true, force: true, maxRetries: 5 });
}
