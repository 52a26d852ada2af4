import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createLinuxHost } from '../host/linux/host.ts';
import { ARM_BOARD } from './fixtures/arm-board.ts';
import { GPU_SERVER, plant, type Tree, under } from './fixtures/tree.ts';
import { gatherFacts } from './gather.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});
function factsOf(tree: Tree) {
  const root = plant(tree);
  roots.push(root);
  return gatherFacts(createLinuxHost({ root }));
}

describe('a server with GPUs, disks and NUMA', () => {
  test('is told with all that it has, and where it is from', async () => {
    const facts = await factsOf(GPU_SERVER);
    expect(facts.system).toEqual({
      vendor: 'Supermicro',
      product: 'SYS-420GP-TNAR',
      serial: 'A451234X2001234',
      uuid: '7c4a1e00-5c2d-11ec-8000-3cecef9a1b2c',
      board: 'X12DGO-6',
    });
    expect(facts.cpu).toMatchObject({ sockets: 2, cores: 4, threads: 8, architecture: 'x86_64' });
    expect(facts.memory.bytes).toBe(1_056_395_928 * 1024);
    expect(facts.numa).toMatchObject([
      { node: 0, cpus: '0-1,4-5' },
      { node: 1, bytes: 528_481_836 * 1024 },
    ]);
    expect(facts.gpus).toHaveLength(8);
    expect(facts.gpus[7]).toEqual({
      address: '0000:bd:00.0',
      class: '030200',
      vendorId: '10de',
      deviceId: '20b2',
      vendor: 'NVIDIA',
      model: 'NVIDIA A100-SXM4-80GB',
      driver: 'nvidia',
      numaNode: 1,
      uuid: 'GPU-0e1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7',
    });
    expect(facts.displays).toMatchObject([{ vendorId: '1a03' }]);
    expect(facts.accelerators).toMatchObject([{ deviceId: '4940', vendor: 'Intel' }]);
    expect(facts.disks).toHaveLength(25);
    expect(facts.disks.at(-1)).toMatchObject({
      name: 'sdx',
      serial: 'ZL2ABC33',
      transport: 'ata',
      rotational: true,
    });
    expect(facts.disks[0]).toMatchObject({ name: 'nvme0n1', bytes: 3_840_755_982_336, rotational: false });
    expect(facts.interfaces).toEqual([
      {
        name: 'ens1f0',
        mac: '3c:ec:ef:9a:1b:2c',
        state: 'up',
        mtu: 9000,
        speedMbps: 100_000,
        driver: 'mlx5_core',
        addresses: ['fe80::3eec:efff:e9a1:b2cf/64'],
      },
    ]);
    expect(facts).toMatchObject({
      virtualisation: 'none',
      firmware: { kind: 'uefi', secureBoot: true, version: '1.4' },
      tpm: { version: '2.0' },
      cgroups: 'v2',
      os: { name: 'Ubuntu 24.04.1 LTS' },
    });
    expect(facts.from['gpus[].uuid'] ?? facts.from['gpus[].model']).toMatch(/^\/proc\/driver\/nvidia/);
    expect(facts.from['disks[].bytes']).toBe('/sys/block/*/size');
    expect(facts.remarks.map(({ fact, message }) => `${fact}: ${message}`)).toEqual([
      'system.version: it said only "0123456789"',
      'system.sku: it said only "To be filled by O.E.M."',
    ]);
  });
});

test("a board of Arm's without SMBIOS is told by its device tree", async () => {
  expect(await factsOf(ARM_BOARD)).toMatchObject({
    system: { product: 'Raspberry Pi 4 Model B Rev 1.4', serial: '10000000a1b2c3d4' },
    cpu: { architecture: 'aarch64', vendor: 'ARM', model: 'Cortex-A72', sockets: 1, cores: 4, threads: 4 },
    firmware: { kind: 'devicetree' },
    disks: [
      { name: 'mmcblk0', model: 'SN32G', transport: 'mmc', rotational: false, bytes: 62_333_952 * 512 },
    ],
    interfaces: [{ name: 'eth0', mac: 'dc:a6:32:01:02:03', driver: 'bcmgenet', speedMbps: 1000 }],
    remarks: [],
  });
});

describe('a machine that lies or does not answer', () => {
  test('costs nothing but what it says', async () => {
    const facts = await factsOf({
      ...under('sys/class/dmi/id', {
        sys_vendor: Buffer.from([0x20, 0x41, 0xc3, 0x28, 0x20, 0x0a]),
        product_name: 'fifo',
        product_serial: `${'9'.repeat(100_000)}\n`,
      }),
      'proc/meminfo': 'MemTotal: lots\n',
      'sys/devices/system/cpu/online': '0-99999999999\n',
      'proc/cpuinfo': 'processor : 0\n',
      ...under('sys/block/sda', { size: '-7\n', device: '-> ../nowhere' }),
      ...under('sys/block/sdb', {
        size: '2048\n',
        'device/model': 'Disk\n',
        'queue/rotational': 'perhaps\n',
      }),
      ...under('sys/bus/pci/devices/0000:01:00.0', {
        class: '0x030000\n',
        vendor: 'NVIDIA\n',
        device: '1\n',
      }),
      ...under('sys/class/net/eth0', { address: 'zz\n', operstate: 'up\n', speed: 'fifo', 'device/x': '' }),
      ...under('sys/class/net/eth1', { operstate: 'up\n', speed: '1000\n', 'device/x': '' }),
    });
    expect(facts.system).toEqual({ vendor: 'A(' });
    expect(facts.cpu.threads).toBe(1);
    expect(facts.memory).toEqual({});
    expect(facts.gpus).toEqual([]);
    expect(facts.disks).toEqual([{ name: 'sdb', bytes: 1_048_576, model: 'Disk' }]);
    // The second one is asked although the first never answers.
    expect(facts.interfaces).toMatchObject([{ name: 'eth0', addresses: [] }, { speedMbps: 1000 }]);
    expect(facts.interfaces[0]).not.toHaveProperty('speedMbps');
    expect(facts.interfaces[0]).not.toHaveProperty('mac');
    const remarks = facts.remarks.map(({ path, message }) => `${path}: ${message}`);
    for (const wanted of [
      /sys_vendor: it held bytes that are no UTF-8/,
      /product_name: is not a regular file/,
      /product_serial: it has \d+ bytes, more than/,
      /cpu\/online: it is no list of processors/,
      /sda\/size: it is no number: "-7"/,
      /rotational: it is no number: "perhaps"/,
      /0000:01:00.0: its class, vendor or device/,
      /eth0\/speed: it did not answer within \d+ ms/,
    ])
      expect(remarks).toContainEqual(expect.stringMatching(wanted));
  });

  test('knows of secure boot though many cards never answer', async () => {
    const cards = Array.from({ length: 5 }, (_, at) =>
      under(`sys/class/net/eth${at}`, { operstate: 'up\n', speed: 'fifo', 'device/x': '' }),
    );
    const facts = await factsOf({
      ...Object.assign({}, ...cards),
      'sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c': Buffer.from([
        6, 0, 0, 0, 1,
      ]),
    });
    expect(facts.firmware.secureBoot).toBe(true);
    expect(facts.interfaces).toHaveLength(5);
  });

  test('has no facts where there is nothing', async () => {
    const facts = await factsOf({ 'etc/hostname': 'bare\n' });
    expect(facts).toMatchObject({ system: {}, gpus: [], disks: [], interfaces: [], numa: [], memory: {} });
    expect(facts.from).toEqual({});
  });
});
