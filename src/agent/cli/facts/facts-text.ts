import { bytesText } from '../../../kit/bytes-text.ts';
import { pad, width } from '../../../kit/terminal/columns.ts';
import type { Disk, Facts, Gpu, NetworkInterface, PciDevice } from '../../facts/reading/facts.ts';

/** What it is, what the machine says, and the name under which `from` has its place. */
type Row = [what: string, value: string | undefined, fact?: string];

/**
 * The facts for people: what, value, and where it is from. What is not there takes no line.
 *
 * @param room columns of the terminal: a place that does not fit in is left out. Absent where there is none
 */
export function factsText(facts: Facts, room = Number.POSITIVE_INFINITY): string {
  const rows = rowsOf(facts).filter((row) => row[1] !== undefined && row[1] !== '');
  const columns = [0, 1].map((at) => Math.min(56, Math.max(...rows.map((row) => width(row[at] ?? '')))));
  const lines = rows.map(([what, value = '', fact]) => {
    const from = fact === undefined ? '' : (facts.from[fact] ?? '');
    const short = `${pad(what, columns[0] ?? 0)}  ${value}`;
    const whole = `${pad(what, columns[0] ?? 0)}  ${pad(value, columns[1] ?? 0)}  ${from}`;
    return from === '' || width(whole) > room ? short : whole;
  });
  const remarks = facts.remarks.map(({ fact, path, message }) => `  ${fact}: ${path}: ${message}`);
  const about = remarks.length === 0 ? [] : ['', 'Not known, or not as it was read:', ...remarks];
  const known = lines.length === 0 ? ['Nothing here tells of a machine.'] : lines;
  return `${[...known, ...about].map((line) => line.trimEnd()).join('\n')}\n`;
}

function rowsOf(facts: Facts): Row[] {
  const { system, cpu, memory, firmware, kernel, os, source } = facts;
  return [
    ['Vendor', system.vendor, 'system.vendor'],
    ['Product', system.product, 'system.product'],
    ['Version', system.version, 'system.version'],
    ['SKU', system.sku, 'system.sku'],
    ['Serial number', system.serial, 'system.serial'],
    ['UUID', system.uuid, 'system.uuid'],
    ['Board', system.board, 'system.board'],
    ['Virtualisation', facts.virtualisation, 'virtualisation'],
    ['Firmware', words(firmware.kind, firmware.vendor, firmware.version, firmware.date), 'firmware.kind'],
    ['Secure boot', yesNo(firmware.secureBoot), 'firmware.secureBoot'],
    ['TPM', facts.tpm?.version, 'tpm.version'],
    ['Architecture', cpu.architecture, 'cpu.architecture'],
    ['Processor', words(cpu.vendor, cpu.model), 'cpu.model'],
    ['Sockets', number(cpu.sockets), 'cpu.sockets'],
    ['Cores', number(cpu.cores), 'cpu.cores'],
    ['Threads', number(cpu.threads), 'cpu.threads'],
    [
      'Flags',
      cpu.flags.length === 0 ? undefined : `${cpu.flags.length} (--output json names them)`,
      'cpu.model',
    ],
    ['Memory', size(memory.bytes), 'memory.bytes'],
    ['Installed', size(memory.installedBytes), 'memory.installedBytes'],
    ['Swap', memory.swapBytes === 0 ? undefined : size(memory.swapBytes), 'memory.swapBytes'],
    ...facts.numa.map(
      ({ node, cpus, bytes }): Row => [
        `NUMA node ${node}`,
        words(`processors ${cpus || 'none'}`, size(bytes)),
        'numa[].cpus',
      ],
    ),
    ...facts.gpus.map((gpu): Row => ['GPU', gpuWords(gpu), 'gpus']),
    ...facts.accelerators.map((device): Row => ['Accelerator', pciWords(device), 'gpus']),
    ...facts.displays.map((device): Row => ['Display', pciWords(device), 'gpus']),
    ...facts.disks.map((disk): Row => [`Disk ${disk.name}`, diskWords(disk), 'disks[].bytes']),
    ...facts.interfaces.map(
      (one): Row => [`Interface ${one.name}`, interfaceWords(one), 'interfaces[].state'],
    ),
    ['Operating system', words(os.name), 'os.name'],
    ['Kernel', words(kernel.release, kernel.version), 'kernel.release'],
    ['Control groups', facts.cgroups, 'cgroups'],
    ['Source', source.name, 'source'],
    ['Instance', words(source.instanceId, source.instanceType), 'source'],
    ['Place', words(source.region, source.zone), 'source'],
    ['Provider ID', source.providerId, 'source'],
  ];
}

function gpuWords(gpu: Gpu): string {
  return words(pciWords(gpu), size(gpu.memoryBytes), gpu.uuid);
}

function pciWords({ vendor, model, vendorId, deviceId, address, driver, numaNode }: PciDevice): string {
  // NVIDIA's driver begins with the maker's name, AMD's table of models does not.
  const isNamed = vendor !== undefined && model?.startsWith(vendor) === true;
  const name = [isNamed ? undefined : vendor, model].filter(Boolean).join(' ') || 'of an unknown maker';
  return words(
    `${name} [${vendorId}:${deviceId}] at ${address}`,
    `driver ${driver ?? 'none'}`,
    numaNode === undefined ? undefined : `NUMA node ${numaNode}`,
  );
}

function diskWords({ bytes, model, serial, rotational, transport, removable, readOnly }: Disk): string {
  return words(
    size(bytes),
    model,
    transport,
    rotational === undefined ? undefined : rotational ? 'rotating' : 'solid state',
    serial === undefined ? undefined : `serial number ${serial}`,
    removable && 'removable',
    readOnly && 'read-only',
  );
}

function interfaceWords({
  mac,
  state,
  speedMbps,
  driver,
  address,
  addresses,
  mtu,
}: NetworkInterface): string {
  return words(
    state,
    mac,
    speedMbps === undefined ? undefined : `${speedMbps} Mbit/s`,
    driver,
    address && `at ${address}`,
    mtu === undefined ? undefined : `MTU ${mtu}`,
    ...addresses,
  );
}

function words(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

const number = (value: number | undefined) => (value === undefined ? undefined : String(value));
const size = (bytes: number | undefined) => (bytes === undefined ? undefined : bytesText(bytes));
const yesNo = (flag: boolean | undefined) =>
  flag === undefined ? undefined : flag ? 'in force' : 'not in force';
