import assert from 'node:assert/strict';
import { execa } from 'execa';
import type { Facts } from '../../../src/agent/facts/reading/facts.ts';
import { withoutSteering } from '../../../src/kit/environment.ts';
import { DIST } from '../../support/machines.ts';

export const about =
  'slipway facts on this machine says what lscpu, lsblk, ip, lsmem, and where they are lspci and dmidecode say';

/** The bound of the issue: what it takes at most. */
const MOST_KIB = 70 * 1024;
/** What a start of Node.js takes differs by as much from one measurement to the next. */
const SLACK_KIB = 8 * 1024;

export async function run(say: (line: string) => void): Promise<void> {
  const env = withoutSteering(process.env) ?? process.env;
  const told = async (file: string, ...args: string[]): Promise<string | undefined> => {
    const { stdout, failed } = await execa(file, args, {
      env: { ...env, LC_ALL: 'C' },
      extendEnv: false,
      reject: false,
    });
    return failed ? undefined : stdout;
  };
  const facts = JSON.parse((await told(DIST, 'facts', '--output', 'json')) ?? '{}') as Facts;

  const cpu = new Map(
    ((await told('lscpu')) ?? '').split('\n').map((line) => {
      const [name = '', value = ''] = line.split(/:\s*(.*)/s);
      return [name.trim(), value];
    }),
  );
  assert.equal(facts.cpu.architecture, cpu.get('Architecture'));
  assert.equal(facts.cpu.model, cpu.get('Model name'));
  const [sockets, cores, threads] = ['Socket(s)', 'Core(s) per socket', 'Thread(s) per core'].map((name) =>
    Number(cpu.get(name)),
  );
  assert.equal(facts.cpu.sockets, sockets);
  assert.equal(facts.cpu.cores, Number(sockets) * Number(cores));
  assert.equal(facts.cpu.threads, Number(sockets) * Number(cores) * Number(threads));
  assert.equal(facts.cpu.flags.join(' '), cpu.get('Flags'));
  if (cpu.has('Hypervisor vendor')) assert.notEqual(facts.virtualisation, 'none');

  const { blockdevices } = JSON.parse(
    (await told('lsblk', '--json', '--bytes', '--nodeps', '--output', 'NAME,SIZE,TYPE,RO,ROTA')) ?? '{}',
  ) as {
    blockdevices: { name: string; size: number; type: string; ro: boolean; rota: boolean }[];
  };
  for (const { name, bytes, rotational, readOnly = false } of facts.disks) {
    const theirs = blockdevices.find((device) => device.name === name);
    assert.deepEqual(
      { bytes, rotational, readOnly, type: 'disk' },
      { bytes: theirs?.size, rotational: theirs?.rota, readOnly: theirs?.ro, type: theirs?.type },
    );
  }
  const memory = JSON.parse(
    (await told('lsmem', '--json', '--bytes', '--summary=never')) ?? '{"memory":[]}',
  ) as {
    memory: { size: number; state: string }[];
  };
  const online = memory.memory
    .filter(({ state }) => state === 'online')
    .reduce((sum, { size }) => sum + Number(size), 0);
  if (online > 0 && facts.from['memory.installedBytes']?.startsWith('/sys/devices'))
    assert.equal(facts.memory.installedBytes, online);

  const links = JSON.parse((await told('ip', '-json', 'addr')) ?? '[]') as {
    ifname: string;
    address?: string;
    mtu: number;
    operstate: string;
    addr_info: { local: string; prefixlen: number }[];
  }[];
  for (const own of facts.interfaces) {
    const theirs = links.find(({ ifname }) => ifname === own.name);
    assert.equal(own.mac, theirs?.address);
    assert.equal(own.mtu, theirs?.mtu);
    assert.equal(own.state, theirs?.operstate.toLowerCase());
    const addresses = theirs?.addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`) ?? [];
    if (own.state === 'up') assert.deepEqual([...own.addresses].sort(), addresses.sort());
  }
  say(
    `lscpu, lsblk, lsmem and ip say the same: ${facts.cpu.threads} threads, ${facts.disks.length} disks, ${facts.interfaces.length} interfaces`,
  );

  const pci = await told('lspci', '-Dnmm');
  if (pci !== undefined) {
    const displays = pci
      .split('\n')
      .filter((line) => /^\S+ "03/.test(line))
      .map((line) => line.split(' ')[0]);
    const own = [...facts.gpus, ...facts.displays]
      .filter((device) => device.class.startsWith('03'))
      .map(({ address }) => address);
    assert.deepEqual(own.sort(), displays.sort());
  }
  const product = await told('dmidecode', '--string=system-manufacturer');
  if (product !== undefined && facts.system.vendor !== undefined)
    assert.equal(facts.system.vendor, product.trim());
  say(
    `lspci was ${pci === undefined ? 'not there' : 'asked'}, dmidecode ${product === undefined ? 'not there' : 'asked'}`,
  );

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
