import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoted, type WindowsMachine } from './windows-machine.ts';

const SLIPWAY = 'S:\\slipway.exe';
const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';
const CHANGED = [
  'Program Files/Slipway/slipway.exe',
  'Program Files/Slipway/shim/kubeadm.exe',
  'Program Files/Slipway/report.xml',
  'Program Files/Cloudbase Solutions/Cloudbase-Init/LocalScripts/10-slipway.cmd',
  'ProgramData/slipway',
];

/** Preflight asks the service manager: this machine has no kubelet, and no Host Network Service. */
export async function expectPreflight(machine: WindowsMachine): Promise<void> {
  const { stdout, stderr } = await machine.run(SLIPWAY, 'preflight');
  assert.match(stdout, /the service kubelet does not exist/, stderr);
  assert.match(stdout, /the service hns does not exist/);
  assert.match(stdout, /there is no service containerd/);
}

/**
 * Everything in place twice, the task of the reporter too, and taken back by another copy of the program; before and afterwards it
 * says what is missing.
 */
export async function expectUninstalled(machine: WindowsMachine): Promise<void> {
  await expectMissing(machine, [TASK, JOURNAL]);
  for (const _ of [1, 2]) {
    const { status, stdout, stderr } = await machine.run(
      SLIPWAY,
      'install',
      '--shim',
      '--service',
      '--report',
    );
    assert.equal(status, 0, stderr);
    assert.match(stdout, /the task "Slipway report" starts the reporter at boot/);
  }
  for (const path of CHANGED) assert.equal(existsSync(machine.onC(path)), true, path);
  await expectMissing(machine, [JOURNAL]);
  await expectVolume(machine);
  const gone = await machine.run(SLIPWAY, 'uninstall', '--state');
  assert.equal(gone.status, 0, gone.stderr);
  assert.match(gone.stdout, /the task "Slipway report" removed/);
  for (const path of CHANGED) assert.equal(existsSync(machine.onC(path)), false, path);
  await expectMissing(machine, [
    /the program is at .*slipway\.exe: no; /,
    /something starts Slipway: no; /,
    TASK,
  ]);
  const { stdout } = await machine.run('reg.exe', 'query', ENVIRONMENT, '/v', 'Path');
  assert.doesNotMatch(stdout, /Slipway/);
  assert.match((await machine.run(SLIPWAY, 'uninstall', '--state')).stdout, /nothing of Slipway is there/);
}

const JOURNAL = /no state of another machine: no; .*C:\\ProgramData\\slipway/;
const TASK = /the task of the reporter is there: no; .* --report$/;

async function expectMissing(machine: WindowsMachine, wanted: readonly RegExp[]): Promise<void> {
  const { status, stdout, stderr } = await machine.run(SLIPWAY, 'install', '--check');
  assert.equal(status, 1, stderr);
  const missing = stdout.split(/\r?\n/).filter((line) => line.startsWith('MISS'));
  assert.equal(missing.length, wanted.length, stdout);
  for (const [at, pattern] of wanted.entries()) assert.match(missing[at] ?? '', pattern);
}

/** The agent is killed within a command, which ends with it; in the same boot the next one runs that command again. */
export async function expectKilled(machine: WindowsMachine): Promise<void> {
  const line = quoted(`${SLIPWAY} bootstrap --cloudbase-init --user-data S:\\killed`);
  const told = await machine.told(`same_boot
commands ${line} &
until [ -e hangs ]; do sleep 0.1; done
wine64 taskkill.exe /f /pid "$(cat $C/run/slipway/agent.lock.pid)"
wait $! || :
touch go
commands ${line} || :
boot_over`);
  assert.equal(told.status, 0, told.stderr);
  assert.equal(readFileSync(machine.onC('killed'), 'utf8'), 'first\r\nfirst\r\nsecond\r\n');
}

/** The reporter tells the serial port what a bootstrap of this boot did, and ends. */
export async function expectReported(machine: WindowsMachine): Promise<void> {
  const config = machine.onC('ProgramData/slipway/etc/config.yaml');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, 'report: {console: on, nodeTimeout: 0s, idleTimeout: 1s}\n');
  const userData = '#cloud-config\nslipway: {kubeadm: none}\nruncmd:\n- echo hi\n';
  writeFileSync(join(machine.shared, 'reported'), userData);
  // Wine's port keeps the last line alone; the sentinel of the join before would be one.
  rmSync(machine.onC('run/cluster-api'), { recursive: true, force: true });
  const port = join(machine.shared, 'port');
  writeFileSync(port, '');
  const ports = 'HKLM\\Software\\Wine\\Ports';
  const set = await machine.run('reg.exe', 'add', ports, '/v', 'COM1', '/d', '/shared/port', '/f');
  assert.equal(set.status, 0, set.stderr);
  const reported = await machine.told(`same_boot
commands ${quoted(`${SLIPWAY} bootstrap --user-data S:\\reported`)} || :
commands ${quoted(`${SLIPWAY} report`)} || :
boot_over`);
  assert.equal(reported.status, 0, reported.stderr);
  assert.match(reported.stdout, /^over: the machine is bootstrapped/m);
  const written = readFileSync(port, 'utf8');
  assert.match(
    written,
    /^slipway: BOOTSTRAP SUCCEEDED in /m,
    `${written}\n${reported.stdout}\n${reported.stderr}`,
  );
  rmSync(config);
}

/** cloudbase-init's local script finds the user data on a volume of OpenStack, and hands the exit code on. */
async function expectVolume(machine: WindowsMachine): Promise<void> {
  const folder = join(machine.shared, 'volume/openstack/latest');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'user_data'), VOLUME);
  writeFileSync(join(folder, 'meta_data.json'), '{"uuid": "i-found", "hostname": "w1"}');
  // On the machine that has joined, a boot would leave other user data alone.
  rmSync(machine.onC('ProgramData/slipway'), { recursive: true });
  const script = 'C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\LocalScripts\\10-slipway.cmd';
  const told = await machine.told(`ln -sfn /shared/volume "$WINEPREFIX/dosdevices/d:"
commands ${quoted(`call "${script}"`)} || :`);
  assert.equal(told.status, 1001, told.stderr);
  assert.equal(readFileSync(machine.onC('volume'), 'utf8'), 'i-found\r\n');
}

const VOLUME = `## template: jinja
#cloud-config
slipway: {kubeadm: none}
runcmd:
- |
  echo {{ v1.instance_id }}>>C:\\volume
  exit /b 1001
`;
