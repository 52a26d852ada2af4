import assert from 'node:assert/strict';
import type { Facts } from '../../../src/agent/facts/reading/facts.ts';

/** What is asked of the programs that facts are compared with; in English (LC_ALL=C). */
export const QUESTIONS = {
  lscpu: ['lscpu', '--json'],
  lsblk: ['lsblk', '--json', '--bytes', '--nodeps', '--output', 'NAME,SIZE,TYPE,RO,ROTA,MODEL,SERIAL,TRAN'],
  lsmem: ['lsmem', '--json', '--bytes', '--summary=never'],
  ip: ['ip', '-json', 'addr'],
  lspci: ['lspci', '-Dnmm'],
} as const;

/** What a program said; undefined where it is not there, or failed. */
type Told = (name: string) => string | undefined;

/** Holds facts against what these programs say on the same machine. @returns those that were there */
export function compare(facts: Facts, told: Told): string[] {
  const compared = Object.entries({ lscpu, lsblk, lsmem, ip, lspci }).flatMap(([name, holds]) => {
    const text = told(name);
    if (text === undefined) return [];
    holds(facts, text);
    return [name];
  });
  for (const word of Object.keys(DMI)) {
    const theirs = told(word)?.trim();
    // It shows what it cannot print as dots; what firmware says that is no text is another matter.
    if (theirs === undefined || theirs === '' || facts.remarks.some(({ fact }) => fact === factOf(word)))
      continue;
    assert.equal(ownOf(facts, word), theirs.replace(/\s+/g, ' '), word);
    if (!compared.includes('dmidecode')) compared.push('dmidecode');
  }
  return compared;
}

/** dmidecode's keywords, and what they are called here. */
export const DMI = {
  'system-manufacturer': 'system.vendor',
  'system-product-name': 'system.product',
  'system-version': 'system.version',
  'system-serial-number': 'system.serial',
  'system-uuid': 'system.uuid',
  'baseboard-product-name': 'system.board',
  'bios-vendor': 'firmware.vendor',
  'bios-version': 'firmware.version',
  'bios-release-date': 'firmware.date',
} as const;

const factOf = (word: string): string => DMI[word as keyof typeof DMI];

function ownOf({ system, firmware }: Facts, word: string): string | undefined {
  const [room, name = ''] = factOf(word).split('.');
  return new Map(Object.entries(room === 'system' ? system : firmware)).get(name);
}

function lscpu({ cpu, numa, virtualisation }: Facts, text: string): void {
  const { lscpu: rows } = JSON.parse(text) as { lscpu: { field: string; data: string }[] };
  const said = new Map(rows.map(({ field, data }) => [field.replace(/:$/, ''), data]));
  const [sockets = 0, cores = 0, threads = 0] = ['Socket(s)', 'Core(s) per socket', 'Thread(s) per core'].map(
    (name) => Number(said.get(name)),
  );
  assert.equal(cpu.architecture, said.get('Architecture'));
  assert.equal(cpu.model, said.get('Model name'));
  assert.equal(cpu.sockets, sockets);
  assert.equal(cpu.cores, sockets * cores);
  assert.equal(cpu.threads, sockets * cores * threads);
  assert.equal(cpu.flags.join(' '), said.get('Flags'));
  for (const { node, cpus } of numa)
    assert.deepEqual(numbers(cpus), numbers(said.get(`NUMA node${node} CPU(s)`) ?? ''));
  if (said.has('Hypervisor vendor')) assert.notEqual(virtualisation, 'none');
}

/** Of a list such as `0-3,8`, which the kernel and lscpu write each in its own way. */
function numbers(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

interface BlockDevice {
  name: string;
  size: number;
  type: string;
  ro: boolean;
  rota: boolean;
  model: string | null;
  serial: string | null;
  tran: string | null;
}

function lsblk({ disks }: Facts, text: string): void {
  const { blockdevices } = JSON.parse(text) as { blockdevices: BlockDevice[] };
  for (const { name, bytes, rotational, readOnly = false, model = '', serial, transport } of disks) {
    const theirs = blockdevices.find((device) => device.name === name);
    assert.deepEqual(
      { bytes, rotational, readOnly, type: 'disk' },
      { bytes: theirs?.size, rotational: theirs?.rota, readOnly: theirs?.ro, type: theirs?.type },
    );
    // It has these of udev, which knows less of some disks.
    if (theirs?.model) assert.ok(model.endsWith(theirs.model.trim()), `${model} is not ${theirs.model}`);
    if (theirs?.serial) assert.equal(serial, theirs.serial.trim());
    if (theirs?.tran) assert.equal(transport, theirs.tran);
  }
  // Optical drives are of another type, and what has no medium holds nothing.
  const known = blockdevices.filter(({ type, size, name }) => type === 'disk' && size > 0 && !isMade(name));
  assert.deepEqual(disks.map(({ name }) => name).sort(), known.map(({ name }) => name).sort());
}

/** By the kernel itself: in memory, of other devices, or over the network; and what of a card is no disk of its own. */
function isMade(name: string): boolean {
  return /^(ram|zram|loop|dm-|md|nbd|drbd|rbd|fd|mtdblock)\d|^mmcblk\d+(boot|rpmb)/.test(name);
}

function lsmem({ memory, from }: Facts, text: string): void {
  const { memory: blocks } = JSON.parse(text) as { memory: { size: number; state: string }[] };
  const online = blocks
    .filter(({ state }) => state === 'online')
    .reduce((sum, { size }) => sum + Number(size), 0);
  if (from['memory.installedBytes']?.startsWith('/sys/devices')) assert.equal(memory.installedBytes, online);
}

interface Link {
  ifname: string;
  address?: string;
  mtu: number;
  operstate: string;
  addr_info: { local: string; prefixlen: number }[];
}

function ip({ interfaces }: Facts, text: string): void {
  const links = JSON.parse(text) as Link[];
  for (const { name, mac, mtu, state, addresses } of interfaces) {
    const theirs = links.find(({ ifname }) => ifname === name);
    assert.deepEqual(
      { mac, mtu, state },
      { mac: theirs?.address, mtu: theirs?.mtu, state: theirs?.operstate.toLowerCase() },
    );
    const known = theirs?.addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`) ?? [];
    if (state === 'up') assert.deepEqual([...addresses].sort(), known.sort());
  }
}

/** What shows pictures, by its address, class and numbers. */
function lspci({ gpus, displays }: Facts, text: string): void {
  const theirs = text.split('\n').flatMap((line) => {
    const [address, code, vendor, device] = line.replaceAll('"', '').split(' ');
    return code?.startsWith('03') ? [`${address} ${code} ${vendor}:${device}`] : [];
  });
  const own = [...gpus, ...displays]
    .filter((device) => device.class.startsWith('03'))
    .map((device) => `${device.address} ${device.class.slice(0, 4)} ${device.vendorId}:${device.deviceId}`);
  assert.deepEqual(own.sort(), theirs.sort());
}
