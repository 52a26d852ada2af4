import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { agentOf } from './join.ts';
import { until, type WindowsMachine } from './windows-machine.ts';

const SLIPWAY = 'S:\\slipway.exe';
const INSTALLED = 'C:\\Program Files\\Slipway\\slipway.exe';
const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';
const CHANGED = [
  'Program Files/Slipway/slipway.exe',
  'Program Files/Slipway/shim/kubeadm.exe',
  'Program Files/Slipway/report.xml',
  'Program Files/Cloudbase Solutions/Cloudbase-Init/LocalScripts/10-slipway.cmd',
  'ProgramData/slipway',
];

/** Preflight asks the service manager: this machine has no kubelet, and that of Wine no Host Network Service. */
export async function expectPreflight(machine: WindowsMachine): Promise<void> {
  const { stdout, stderr } = await machine.run(SLIPWAY, 'preflight');
  assert.match(stdout, /the service kubelet does not exist/, stderr);
  if (!machine.isWine) return;
  assert.match(stdout, /the service hns does not exist/);
  assert.match(stdout, /there is no service containerd/);
}

/**
 * Everything in place twice, the task of the reporter too, and taken back: by itself all but the program that runs, which another
 * copy removes; before and afterwards it says what is missing.
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
    // Slipway's folder is there; Wine's PowerShell does not say whose it is.
    assert.equal(/^WARNING: C:\\ProgramData\\slipway was there before/m.test(stdout), machine.isWine, stdout);
  }
  for (const path of CHANGED) assert.equal(existsSync(machine.onC(path)), true, path);
  await expectMissing(machine, [JOURNAL]);
  await expectGuestinfo(machine);
  await expectVolume(machine);
  const own = await machine.run(INSTALLED, 'uninstall');
  assert.equal(own.status, 0, own.stderr);
  assert.match(own.stdout, /the task "Slipway report" removed/);
  assert.match(own.stdout, /Slipway\\slipway\.exe stays while it runs: remove /);
  const gone = await machine.run(SLIPWAY, 'uninstall', '--state');
  assert.equal(gone.status, 0, gone.stderr);
  for (const path of CHANGED) assert.equal(existsSync(machine.onC(path)), false, path);
  await expectMissing(machine, [
    /slipway\.exe is missing; run slipway install/,
    /nothing starts Slipway, so the user data would call the real kubeadm/,
    TASK,
  ]);
  const { stdout } = await machine.run('reg.exe', 'query', ENVIRONMENT, '/v', 'Path');
  assert.doesNotMatch(stdout, /Slipway/);
  assert.match((await machine.run(SLIPWAY, 'uninstall', '--state')).stdout, /nothing of Slipway is there/);
}

const JOURNAL = /C:\\ProgramData\\slipway has the journal of the machine/;
const TASK = /the task of the reporter is missing, .* --report$/;

async function expectMissing(machine: WindowsMachine, wanted: readonly RegExp[]): Promise<void> {
  const { status, stdout, stderr } = await machine.run(SLIPWAY, 'install', '--check');
  assert.equal(status, 1, stderr);
  const missing = stdout.split(/\r?\n/).filter((line) => line.startsWith('FAIL'));
  assert.equal(missing.length, wanted.length, stdout);
  for (const [at, pattern] of wanted.entries()) assert.match(missing[at] ?? '', pattern);
}

/** The agent is killed within a command, which ends with it; in the same boot the next one runs that command again. */
export async function expectKilled(machine: WindowsMachine): Promise<void> {
  const line = `${SLIPWAY} bootstrap --cloudbase-init --user-data S:\\killed`;
  rmSync(join(machine.shared, 'hangs'), { force: true });
  const { status, stderr } = await machine.boot(async ({ commands, end }) => {
    const killed = commands(line);
    await until(() => existsSync(join(machine.shared, 'hangs')));
    await end(agentOf(machine));
    await killed;
    writeFileSync(join(machine.shared, 'go'), '');
    return commands(line);
  });
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(machine.onC('killed'), 'utf8'), 'first\r\nfirst\r\nsecond\r\n');
}

/** The reporter tells the serial port, and Windows' event log, what a bootstrap of this boot did, and ends. */
export async function expectReported(machine: WindowsMachine): Promise<void> {
  const config = machine.onC('ProgramData/slipway/etc/config.yaml');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, 'report: {console: on, nodeTimeout: 0s, idleTimeout: 1s}\n');
  const userData = '#cloud-config\nslipway: {kubeadm: none}\nruncmd:\n- echo hi\n';
  writeFileSync(join(machine.shared, 'reported'), userData);
  // Wine's port keeps the last line alone; the sentinel of the join before would be one.
  rmSync(machine.onC('run/cluster-api'), { recursive: true, force: true });
  const port = join(machine.shared, 'port');
  if (machine.isWine) {
    writeFileSync(port, '');
    const ports = 'HKLM\\Software\\Wine\\Ports';
    const set = await machine.run('reg.exe', 'add', ports, '/v', 'COM1', '/d', port, '/f');
    assert.equal(set.status, 0, set.stderr);
  }
  const reported = await machine.boot(async ({ commands }) => {
    await commands(`${SLIPWAY} bootstrap --user-data S:\\reported`);
    return commands(`${SLIPWAY} report`);
  });
  assert.equal(reported.status, 0, reported.stderr);
  assert.match(reported.stdout, /^over: the machine is bootstrapped/m);
  const written = machine.isWine ? readFileSync(port, 'utf8') : await eventLog(machine);
  assert.match(
    written,
    /^(?:slipway: )?BOOTSTRAP SUCCEEDED in /m,
    `${written}\n${reported.stdout}\n${reported.stderr}`,
  );
  rmSync(config);
}

/** What the event log has of Slipway: Wine has neither it nor PowerShell. */
async function eventLog(machine: WindowsMachine): Promise<string> {
  const filter = "Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='Slipway'; Id=2}";
  const ask = `${filter} | Select-Object -ExpandProperty Message`;
  return (await machine.run('powershell.exe', '-NoProfile', '-Command', ask)).stdout;
}

/**
 * cloudbase-init's local script knows a machine of VMware by itself, and asks rpctool as cloudbase-init does. Node.js stands for
 * that: its word is the name of a script.
 */
async function expectGuestinfo(machine: WindowsMachine): Promise<void> {
  const { onC } = machine;
  const tools = onC('Program Files/VMware/VMware Tools');
  mkdirSync(tools, { recursive: true });
  copyFileSync(join(machine.shared, 'node.exe'), join(tools, 'rpctool.exe'));
  const told: Readonly<Record<string, string>> = {
    userdata: gzipSync(GUESTINFO).toString('base64'),
    'userdata.encoding': 'gzip+base64',
    metadata: Buffer.from('instance-id: of-vsphere\nlocal-hostname: w1\n').toString('base64'),
    'metadata.encoding': 'base64',
  };
  for (const key of [...Object.keys(told), 'vendordata'])
    writeFileSync(
      onC(`info-get guestinfo.${key}.js`),
      told[key] === undefined
        ? "process.stderr.write('No value found\\n'); process.exit(1);\n"
        : `console.log('${told[key]}');\n`,
    );
  forget(machine);
  const done = await machine.boot(async ({ commands }) => {
    const bios = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\BIOS';
    await commands(`reg.exe add ${bios} /v SystemManufacturer /d "VMware, Inc." /f`);
    return commands(`call "${LOCAL_SCRIPT}"`);
  });
  assert.equal(done.status, 1001, done.stderr);
  assert.equal(readFileSync(onC('guestinfo'), 'utf8'), 'of-vsphere\r\n');
  rmSync(tools, { recursive: true, maxRetries: 5 });
}

/** cloudbase-init's local script finds the user data on a volume of OpenStack, and hands the exit code on. */
async function expectVolume(machine: WindowsMachine): Promise<void> {
  const folder = join(machine.shared, 'volume/openstack/latest');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'user_data'), VOLUME);
  writeFileSync(join(folder, 'meta_data.json'), '{"uuid": "i-found", "hostname": "w1"}');
  forget(machine);
  await machine.addDrive('volume', 'config-2');
  const told = await machine.commands(`call "${LOCAL_SCRIPT}"`);
  assert.equal(told.status, 1001, told.stderr);
  assert.equal(readFileSync(machine.onC('volume'), 'utf8'), 'i-found\r\n');
}

const LOCAL_SCRIPT = 'C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\LocalScripts\\10-slipway.cmd';

/** On a machine that has joined, a boot would leave other user data alone. */
const forget = ({ onC }: WindowsMachine) => rmSync(onC('ProgramData/slipway'), { recursive: true });

const telling = (name: string) => `## template: jinja
#cloud-config
slipway: {kubeadm: none}
runcmd:
- |
  echo {{ v1.instance_id }}>>C:\\${name}
  exit /b 1001
`;
const [VOLUME, GUESTINFO] = ['volume', 'guestinfo'].map(telling) as [string, string];
