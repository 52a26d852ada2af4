import assert from 'node:assert/strict';
import { compare } from '../../support/facts/compare.ts';
import { type Answers, withVirtualMachines } from './virtual-machine.ts';

export const about =
  'slipway facts in virtual machines with the SMBIOS fields, sockets, disks and cards that QEMU was told to give them';

/** Two boots without KVM. */
export const onlyByName = true;

const ALL = ['lscpu', 'lsblk', 'lsmem', 'ip', 'lspci', 'dmidecode'];

export async function run(say: (line: string) => void): Promise<void> {
  await withVirtualMachines(say, async (boot) => {
    const server = await boot('bios.sh');
    same(server);
    odd(server);
    say(
      'two sockets, two nodes of memory, five disks and what makers leave in SMBIOS: as the other programs say',
    );
    const cloud = await boot('uefi.sh');
    same(cloud);
    clean(cloud);
    say('UEFI with secure boot and a TPM: as the other programs say');
  });
}

function same({ facts, told }: Answers): void {
  assert.deepEqual(compare(facts, told), ALL);
  assert.equal(facts.virtualisation, told('virt')?.trim());
  assert.equal(facts.kernel.release, told('uname')?.trim());
  assert.equal(facts.memory.bytes, Number(/^MemTotal: +(\d+)/m.exec(told('meminfo') ?? '')?.[1]) * 1024);
  const sizes = [...(told('memory-devices') ?? '').matchAll(/^\tSize: (\d+) ([MG])B$/gm)];
  const installed = sizes.reduce(
    (sum, [, size, unit]) => sum + Number(size) * 2 ** (unit === 'G' ? 30 : 20),
    0,
  );
  assert.equal(facts.memory.installedBytes, installed);
  assert.equal(facts.cgroups, 'v2');
}

/** What QEMU was told to say in bios.sh, and no more of it than can be meant. */
function odd({ facts }: Answers): void {
  assert.deepEqual(facts.system, {
    ...{ vendor: 'Supermicro', product: 'SYS-420', serial: 'A45 1234', board: 'X12 [31mDGO' },
    uuid: '7c4a1e00-5c2d-11ec-8000-3cecef9a1b2c',
  });
  assert.deepEqual(facts.firmware, {
    ...{ kind: 'bios', vendor: 'American Megatrends Inc.', version: '1.4b', date: '07/21/2023' },
  });
  assert.deepEqual(
    facts.remarks.map(({ fact, message }) => `${fact}: ${message}`),
    [
      'system.product: it held bytes that are no UTF-8',
      'system.version: it said only "To be filled by O.E.M."',
      'system.sku: it said only "Default string"',
      'system.board: it held control characters',
    ],
  );
  const { sockets, cores, threads } = facts.cpu;
  assert.deepEqual({ sockets, cores, threads }, { sockets: 2, cores: 4, threads: 8 });
  assert.deepEqual(
    facts.numa.map(({ cpus }) => cpus),
    ['0-3', '4-7'],
  );
  const disks = facts.disks.map(({ name, serial, readOnly }) => `${name} ${serial} ${readOnly ?? false}`);
  assert.deepEqual(disks.sort(), [
    ...['nvme0n1 NVME-0042 false', 'sda SCSI-99 false', 'vda answers false', 'vdb VIRTIO-7 true'],
  ]);
  assert.deepEqual(
    facts.interfaces.map(({ mac, state }) => `${mac} ${state}`),
    ['52:54:00:77:00:10 up', '52:54:00:77:00:11 down'],
  );
  // QEMU has a display of AMD's, and one of its own.
  assert.deepEqual([facts.gpus.length, facts.displays.length], [1, 1]);
  assert.match(facts.gpus[0]?.model ?? '', /Rage/);
  assert.equal(facts.tpm, undefined);
}

function clean({ facts, told }: Answers): void {
  assert.deepEqual(facts.remarks, []);
  assert.equal(facts.system.sku, 'SKU=NotProvided;ModelName=PowerEdge R750');
  assert.equal(facts.firmware.kind, 'uefi');
  assert.match(told('secure-boot') ?? '', /^SecureBoot enabled$/m);
  assert.equal(facts.firmware.secureBoot, true);
  assert.equal(facts.tpm?.version, '2.0');
}
