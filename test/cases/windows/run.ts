import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWindows } from '../../../build/binary/windows/windows.ts';
import { projectVersion } from '../../../build/project.ts';
import { expectFailure, expectResumedJoin, prepareJoin } from './join.ts';
import { type WindowsMachine, withWindowsMachine } from './windows-machine.ts';

export const about = 'slipway.exe, built on Linux, works: Wine runs it';

const SLIPWAY = 'S:\\slipway.exe';

export function run(say: (line: string) => void): Promise<void> {
  return withWindowsMachine(say, async (machine) => {
    await buildWindows(join(machine.shared, 'slipway.exe'));
    copyFileSync(join(import.meta.dirname, 'worker.user-data'), join(machine.shared, 'user-data'));
    copyFileSync(join(import.meta.dirname, 'reboot.user-data'), join(machine.shared, 'reboot'));
    await expectAnswers(machine);
    say('version, plan, check and facts answer as on Linux');
    await prepareJoin(machine);
    await expectInstalled(machine);
    say('install puts program and shim in place, the shim first in PATH');
    await expectFailure(machine);
    say('what kubeadm says of its failure is explained, and its exit status arrives');
    await expectResumedJoin(machine);
    say('killed while kubeadm joined, and called again: cleared up, joined, the sentinel is there');
    await expectReboot(machine);
    say('a command asks for a reboot: cloudbase-init is told, and the next boot goes on behind it');
  });
}

async function expectAnswers(machine: WindowsMachine): Promise<void> {
  const version = await machine.run(SLIPWAY, 'version', '--output', 'json');
  assert.partialDeepStrictEqual(JSON.parse(version.stdout), {
    version: projectVersion(),
    platform: 'win32-x64',
  });
  const plan = await machine.run(SLIPWAY, 'plan', '--user-data', 'S:\\user-data');
  assert.deepEqual({ status: plan.status, stderr: plan.stderr }, { status: 0, stderr: '' });
  assert.match(plan.stdout, /write \/run\/kubeadm\/kubeadm-join-config\.yaml.*kubeadm join --config/s);
  const check = await machine.run(SLIPWAY, 'check', 'S:\\user-data');
  assert.equal(check.status, 1, check.stderr);
  assert.match(check.stdout, /^S:\\user-data:5:5: error: .*\[join-without-ca-hash\]/m);
  const facts = JSON.parse((await machine.run(SLIPWAY, 'facts', '--output', 'json')).stdout);
  assert.equal(facts.cpu.architecture, 'x86_64');
  assert.ok(facts.cpu.threads >= 1, JSON.stringify(facts));
  assert.match(facts.kernel.release, /^10\.0\.\d+/);
  assert.ok(
    facts.remarks.some(({ path }: { path: string }) => path === 'powershell.exe'),
    JSON.stringify(facts),
  );
  const missing = await machine.run(SLIPWAY, 'check', 'S:\\nothing');
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /S:\\nothing cannot be read: .*no such file or directory/);
}

const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';

async function expectInstalled(machine: WindowsMachine): Promise<void> {
  const path = '%SystemRoot%\\system32;C:\\k';
  const set = await machine.run(
    'reg.exe',
    'add',
    ENVIRONMENT,
    '/v',
    'Path',
    '/t',
    'REG_EXPAND_SZ',
    '/d',
    path,
    '/f',
  );
  assert.equal(set.status, 0, set.stderr);
  for (const first of [true, false]) {
    const { status, stdout, stderr } = await machine.run(SLIPWAY, 'install', '--shim');
    assert.equal(status, 0, stderr);
    assert.match(stdout, first ? /shim put first in/ : /shim is first in/);
  }
  const shim = await machine.run('kubeadm', 'version', '-o', 'short');
  assert.deepEqual(
    { status: shim.status, stdout: shim.stdout },
    { status: 0, stdout: 'v1.31.4\n' },
    shim.stderr,
  );
}

/** What Windows notes when it shuts down; Wine does not. */
const SHUTDOWN = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows';

/** 1003 reboots and runs it again, and that run has nothing left but the second command. */
async function expectReboot(machine: WindowsMachine): Promise<void> {
  const bootstrap = () => machine.run(SLIPWAY, 'bootstrap', '--cloudbase-init', '--user-data', 'S:\\reboot');
  const first = await bootstrap();
  assert.equal(first.status, 1003, first.stderr);
  assert.equal(readFileSync(machine.onC('k/written'), 'utf8'), 'by Slipway\n');
  const noted = await machine.run(
    'reg.exe',
    'add',
    SHUTDOWN,
    '/v',
    'ShutdownTime',
    '/t',
    'REG_SZ',
    '/d',
    '01DA',
    '/f',
  );
  assert.equal(noted.status, 0, noted.stderr);
  const second = await bootstrap();
  assert.equal(second.status, 0, second.stderr);
  assert.equal(readFileSync(machine.onC('told'), 'utf8'), 'before\r\nafter\r\n');
}
