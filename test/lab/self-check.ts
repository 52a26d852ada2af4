import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareSnapshots, hostSnapshot } from './host/host-snapshot.ts';
import { labDir } from './lab-record.ts';
import { CRI_ANSWERS, type Machine } from './machine/machine.ts';
import { openLab } from './open-lab.ts';
import { LabError, start } from './process/command.ts';
import { waitFor } from './process/wait-for.ts';

type Say = (line: string) => void;

/** Prove on real machines that the lab keeps its word. @throws LabError at the first word not kept */
export async function selfCheck(say: Say): Promise<void> {
  const before = await hostSnapshot();
  await check(say, 'a machine boots, and its container runtime answers', () => machineChecks(say));
  await check(say, 'two labs side by side use the same address and do not see each other', twoLabs);
  await check(say, 'a lab goes when its process is interrupted (SIGINT)', () => lostOwner('SIGINT'));
  await check(say, 'a lab goes when its process is killed (SIGKILL)', () => lostOwner('SIGKILL'));
  await check(say, 'nothing of the host has changed', async () => {
    let changes: string[] = [];
    const unchanged = async () => {
      changes = compareSnapshots(before, await hostSnapshot());
      return changes.length === 0;
    };
    // The kernel takes its time over a dead namespace, and other processes of this host make and unmake their own.
    await waitFor(unchanged, { timeoutMs: 10_000, everyMs: 500, what: 'the host to be as before' }).catch(
      (error: unknown) => {
        throw error instanceof LabError ? new LabError(`${error.message}:\n${changes.join('\n')}`) : error;
      },
    );
  });
}

async function check(say: Say, what: string, prove: () => Promise<void>): Promise<void> {
  const began = Date.now();
  try {
    await prove();
  } catch (error) {
    throw error instanceof LabError ? new LabError(`not so: ${what}\n${error.message}`) : error;
  }
  say(`ok  ${what} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

function same<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected)
    throw new LabError(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

async function machineChecks(say: Say): Promise<void> {
  const lab = await openLab({ say });
  try {
    const machine = await lab.up('check', {
      files: {
        '/etc/lab/early': { content: 'there before the first boot\n', mode: 0o600 },
        '/lib/systemd/lab-through-a-link': { content: 'x' },
      },
      units: { 'lab-check.service': { content: UNIT } },
    });
    await machine.execOk(['sh', '-c', CRI_ANSWERS]);
    same(
      (await machine.execOk(['kubeadm', 'version', '--output=short'])).startsWith('v1.'),
      true,
      'kubeadm runs',
    );
    same(await machine.read('/etc/lab/early'), 'there before the first boot\n', 'a file of the disk');
    same(await machine.execOk(['stat', '-c', '%a', '/etc/lab/early']), '600\n', 'its mode');
    same(await machine.exists('/usr/lib/systemd/lab-through-a-link'), true, 'a file below a linked folder');
    await machine.execOk(['modprobe', '--all', 'overlay', 'br_netfilter']);
    same((await machine.exec(['sh', '-c', 'exit 7'])).code, 7, 'an exit status');
    same((await machine.exec(['cat'], { input: 'to and fro' })).stdout, 'to and fro', 'input and output');
    await machine.waitFor(() => machine.exists('/root/unit-ran'), {
      timeoutMs: 10_000,
      what: 'the unit to run',
    });
    await check(say, '  kernel settings of the machine are its own', () => settingsChecks(machine));
    await check(say, '  a hard reboot keeps the disk, empties /run and changes the boot id', () =>
      rebooted(machine, { hard: true }),
    );
    await check(say, '  so does an orderly one', () => rebooted(machine, {}));
    await check(say, '  and one that the machine itself asks for', () => rebootedFromInside(machine));
    await check(say, '  switched off and on again', async () => {
      await machine.powerOff();
      same(machine.state, 'off', 'its state');
      await machine.boot();
    });
    const boots = (await machine.execOk(['journalctl', '--list-boots', '--no-pager'])).trim().split('\n');
    same(boots.filter((line) => /^\s*-?\d/.test(line)).length, 5, 'boots in the journal');
    await machine.down();
    same(
      existsSync(join(labDir(lab.id), 'machines', 'check')),
      false,
      'the machine is on the disk after down',
    );
  } finally {
    await lab.close();
  }
}

const UNIT = `[Service]
Type=oneshot
ExecStart=/usr/bin/touch /root/unit-ran
[Install]
WantedBy=multi-user.target
`;

async function settingsChecks(machine: Machine): Promise<void> {
  await machine.execOk([
    'sysctl',
    '-w',
    'vm.overcommit_memory=1',
    'kernel.panic=10',
    'net.ipv4.ip_forward=1',
  ]);
  await machine.execOk(['hostnamectl', 'set-hostname', 'renamed']);
  same(await machine.execOk(['hostname']), 'renamed\n', 'the name');
  same(
    (await machine.exec(['sh', '-c', 'echo 1 > /proc/sys/vm/drop_caches'])).code === 0,
    false,
    'the machine may set what is the host’s',
  );
  same(
    (await machine.exec(['date', '--set', '2001-01-01'])).code === 0,
    false,
    'the machine may set the clock',
  );
}

const bootId = (machine: Machine) => machine.read('/proc/sys/kernel/random/boot_id');

async function rebooted(machine: Machine, how: { hard?: boolean }): Promise<void> {
  const id = await bootId(machine);
  await machine.put('/root/kept', id);
  await machine.put('/run/not-kept', id);
  await machine.reboot(how);
  await afterReboot(machine, id);
}

async function rebootedFromInside(machine: Machine): Promise<void> {
  const id = await bootId(machine);
  await machine.put('/root/kept', id);
  const before = machine.boots;
  await machine.exec(['systemctl', '--no-block', 'reboot']);
  await machine.booted(before);
  await afterReboot(machine, id);
}

async function afterReboot(machine: Machine, idBefore: string): Promise<void> {
  same(await machine.read('/root/kept'), idBefore, 'a file on the disk');
  same(await machine.exists('/run/not-kept'), false, 'a file in /run is there');
  same((await bootId(machine)) === idBefore, false, 'the boot id is the old one');
  await machine.waitFor(async () => (await machine.exec(['ping', '-c1', '-W1', '10.99.0.1'])).code === 0, {
    timeoutMs: 10_000,
  });
}

async function twoLabs(): Promise<void> {
  const labs = await Promise.all([openLab(), openLab()]);
  try {
    const machines = await Promise.all(
      labs.map((lab, index) =>
        lab.up('same', {
          ip: '10.99.7.7',
          role: 'worker',
          files: { '/root/which': { content: String(index) } },
        }),
      ),
    );
    for (const [index, machine] of machines.entries())
      same(await machine.read('/root/which'), String(index), 'which machine it is');
  } finally {
    await Promise.all(labs.map((lab) => lab.close()));
  }
}

/** A process of its own opens a lab and dies; its lab must go within seconds. */
async function lostOwner(signal: NodeJS.Signals): Promise<void> {
  const script = `
const { openLab } = await import(${JSON.stringify(join(import.meta.dirname, 'lab.ts'))});
const lab = await openLab();
await lab.up('orphan', { role: 'worker', ready: 'init' });
process.stdout.write(lab.id);
setInterval(() => {}, 1000);`;
  const child = start(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const id = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(text.toString()));
    void child.then(() => reject(new LabError('the process that should open a lab ended')));
  });
  same(existsSync(labDir(id)), true, 'the lab is there');
  child.kill(signal);
  same((await child).signal, signal, 'how the process ended');
  await waitFor(async () => !existsSync(labDir(id)), {
    timeoutMs: 20_000,
    what: `lab ${id} to be taken away`,
  });
  if (signal === 'SIGKILL') await new Promise((resolve) => setTimeout(resolve, 500));
}
