import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expectReboot, expectRefusal, expectScripts, expectTenBoots } from './boots.ts';
import { expectEveryStepKilled } from './every-step.ts';
import { startCluster } from './fake/cluster.ts';
import { expectFailures, expectResumedJoin, expectRetriedJoin, prepareJoin } from './join.ts';
import { expectKilled, expectPreflight, expectReported, expectUninstalled } from './setup.ts';
import type { WindowsMachine } from './windows-machine.ts';

const SLIPWAY = 'S:\\slipway.exe';

/**
 * What a Windows machine shows, whatever runs it. Under Wine this is a program of Linux beside it, on Windows one of its own: so
 * what is imported here is of Node.js alone.
 */
export async function expectAll(machine: WindowsMachine, say: (line: string) => void): Promise<void> {
  await startCluster(machine.shared);
  await expectAnswers(machine);
  say('version, plan, check and facts answer as on Linux');
  await expectPreflight(machine);
  say('preflight asks the service manager');
  await prepareJoin(machine);
  await expectInstalled(machine);
  say('install puts program and shim in place, the shim first in PATH');
  await expectFailures(machine);
  say('what kubeadms of six releases say of their failures is explained, and their exit status arrives');
  await expectRetriedJoin(machine);
  say('what may pass is tried again, and joins');
  await expectResumedJoin(machine);
  say('killed while kubeadm joined, and called again: cleared up, joined, the sentinel is there');
  await expectEveryStepKilled(machine);
  say('killed at the beginning and at the end of every step, and called again each time: it joins, once');
  await expectRefusal(machine);
  say('what Windows lacks is refused by name, and nothing of the rest is done; a node is left as it is');
  rmSync(machine.onC('ProgramData/slipway'), { recursive: true, force: true });
  await expectReboot(machine);
  say('a command asks for a reboot: cloudbase-init is told, and the next boot goes on behind it');
  await expectScripts(machine);
  say('scripts of EC2 are run, those of cmd.exe first; one that wants to be run at the next boot is');
  await expectTenBoots(machine);
  say('a command that always asks for a reboot gets ten boots');
  rmSync(machine.onC('ProgramData/slipway'), { recursive: true });
  await expectKilled(machine);
  say('killed within a command, and called again in the same boot: that command runs again, and the next');
  await expectReported(machine);
  say(`the reporter tells ${machine.isWine ? 'the serial port' : 'the event log'}, and ends`);
  await expectUninstalled(machine);
  say('install puts all in place, the task too, and uninstall takes it back');
}

async function expectAnswers(machine: WindowsMachine): Promise<void> {
  const version = await machine.run(SLIPWAY, 'version', '--output', 'json');
  assert.partialDeepStrictEqual(JSON.parse(version.stdout), {
    version: readFileSync(join(machine.shared, 'version'), 'utf8'),
    platform: 'win32-x64',
  });
  const plan = await machine.run(SLIPWAY, 'plan', '--user-data', 'S:\\worker');
  assert.deepEqual({ status: plan.status, stderr: plan.stderr }, { status: 0, stderr: '' });
  assert.match(plan.stdout, /write \/run\/kubeadm\/kubeadm-join-config\.yaml.*kubeadm join --config/s);
  const check = await machine.run(SLIPWAY, 'check', 'S:\\worker');
  assert.equal(check.status, 1, check.stderr);
  assert.match(check.stdout, /^S:\\worker:5:5: error: .*\[join-without-ca-hash\]/m);
  const facts = JSON.parse((await machine.run(SLIPWAY, 'facts', '--output', 'json')).stdout);
  assert.equal(facts.cpu.architecture, 'x86_64');
  assert.ok(facts.cpu.threads >= 1, JSON.stringify(facts));
  assert.match(facts.kernel.release, /^10\.0\.\d+/);
  // Wine's PowerShell says nothing.
  const unasked = facts.remarks.some(({ path }: { path: string }) => path === 'powershell.exe');
  assert.equal(unasked, machine.isWine, JSON.stringify(facts));
  const missing = await machine.run(SLIPWAY, 'check', 'S:\\nothing');
  assert.equal(missing.status, 2);
  assert.match(missing.stdout, /^S:\\nothing: error: It cannot be read: .*no such file or directory/m);
}

const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';

async function expectInstalled(machine: WindowsMachine): Promise<void> {
  const { stdout } = await machine.run('reg.exe', 'query', ENVIRONMENT, '/v', 'Path');
  const path = /REG_(?:EXPAND_)?SZ {4}(.*?)\r?$/m.exec(stdout)?.[1];
  assert.ok(path, stdout);
  // In a file of commands, a percent sign is written twice.
  const longer = `${path};C:\\k`.replaceAll('%', '%%');
  const words = ['/v', 'Path', '/t', 'REG_EXPAND_SZ', '/d', longer, '/f'];
  const set = await machine.run('reg.exe', 'add', ENVIRONMENT, ...words);
  assert.equal(set.status, 0, set.stderr);
  for (const first of [true, false]) {
    const { status, stdout, stderr } = await machine.run(SLIPWAY, 'install', '--shim');
    assert.equal(status, 0, stderr);
    assert.match(stdout, first ? /shim put first in/ : /shim is first in/);
    assert.match(stdout, /a command that changes into C:\\k calls the kubeadm there/i);
  }
  const shim = await machine.run('kubeadm', 'version', '-o', 'short');
  assert.deepEqual(
    { status: shim.status, stdout: shim.stdout },
    { status: 0, stdout: 'v1.31.4\n' },
    shim.stderr,
  );
}
