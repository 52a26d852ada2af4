import { omitUndefined } from '../../../kit/json.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { Gpu, PciDevice } from '../reading/facts.ts';
import { AMD, GPU_VENDORS, NVIDIA } from '../reading/gpu-vendors.ts';

const DEVICES = '/sys/bus/pci/devices';
/** Base classes and subclasses of the PCI Code and ID Assignment Specification. */
const DISPLAY = /^0x03/;
const PROCESSING_ACCELERATOR = /^0x12/;
const COPROCESSOR = /^0x0b40/;

interface PciFacts {
  gpus: Gpu[];
  accelerators: PciDevice[];
  displays: PciDevice[];
}

/** What computes and what shows pictures, by PCI's own classes and numbers. */
export async function readPci(reader: FactReader): Promise<PciFacts> {
  const facts: PciFacts = { gpus: [], accelerators: [], displays: [] };
  const found: PciDevice[] = [];
  for (const address of await reader.list('gpus', DEVICES)) {
    const path = `${DEVICES}/${address}`;
    const id = async (name: string) =>
      (await reader.bytes('gpus', `${path}/${name}`))?.toString('latin1').trim();
    const code = (await id('class')) ?? '';
    if (!DISPLAY.test(code) && !PROCESSING_ACCELERATOR.test(code) && !COPROCESSOR.test(code)) continue;
    const vendorId = (await id('vendor')) ?? '';
    const deviceId = (await id('device')) ?? '';
    if (
      ![vendorId, deviceId].every((text) => /^0x[0-9a-f]{4}$/.test(text)) ||
      !/^0x[0-9a-f]{6}$/.test(code)
    ) {
      reader.remark('gpus', path, 'its class, vendor or device is no number of PCI');
      continue;
    }
    const device: PciDevice = {
      address,
      class: code.slice(2),
      vendorId: vendorId.slice(2),
      deviceId: deviceId.slice(2),
      ...omitUndefined({
        driver: await reader.linked(`${path}/driver`),
        numaNode: await reader.number('gpus[].numaNode', `${path}/numa_node`),
      }),
    };
    found.push(device);
    const isGpu =
      (DISPLAY.test(code) && GPU_VENDORS.has(device.vendorId)) ||
      // AMD's newer ones say that they are accelerators.
      (PROCESSING_ACCELERATOR.test(code) && device.vendorId === AMD);
    if (isGpu) facts.gpus.push(device);
    else (DISPLAY.test(code) ? facts.displays : facts.accelerators).push(device);
  }
  if (found.length === 0) delete reader.from.gpus;
  await nameDevices(reader, found);
  for (const gpu of facts.gpus) askDriver(reader, gpu);
  return facts;
}

/** What the drivers say of their devices. They may wait for a device that has fallen off its bus. */
function askDriver(reader: FactReader, gpu: { -readonly [K in keyof Gpu]: Gpu[K] }): void {
  if (gpu.vendorId === NVIDIA) {
    const path = `/proc/driver/nvidia/gpus/${gpu.address}/information`;
    reader.later('gpus[].model', path, (bytes) => {
      const text = Buffer.from(bytes).toString('utf8');
      const model = /^Model:\s*(.+)$/m.exec(text)?.[1];
      const uuid = /^GPU UUID:\s*(GPU-[0-9a-f-]{36})$/m.exec(text)?.[1];
      const told = model === undefined ? undefined : reader.clean('gpus[].model', path, Buffer.from(model));
      if (told !== undefined) gpu.model = told;
      if (uuid !== undefined) gpu.uuid = uuid;
    });
  }
  if (gpu.vendorId === AMD) {
    const path = `${DEVICES}/${gpu.address}`;
    reader.later('gpus[].memoryBytes', `${path}/mem_info_vram_total`, (bytes) => {
      const text = Buffer.from(bytes).toString('latin1').trim();
      if (/^[1-9]\d{0,14}$/.test(text)) gpu.memoryBytes = Number(text);
    });
    reader.later('gpus[].model', `${path}/product_name`, (bytes) => {
      const told = reader.clean('gpus[].model', `${path}/product_name`, bytes);
      if (told !== undefined) gpu.model = told;
    });
  }
}

/** Where distributions keep the PCI ID Repository. */
const FILES = ['/usr/share/hwdata/pci.ids', '/usr/share/misc/pci.ids', '/usr/share/pci.ids'];
const MOST_BYTES = 8 * 1024 * 1024;

/** Makers of what computes, for machines without pci.ids. */
const VENDORS: Readonly<Record<string, string>> = {
  '10de': 'NVIDIA',
  '1002': 'AMD',
  '8086': 'Intel',
  '1da3': 'Habana Labs',
  '1d0f': 'Amazon',
  '1ae0': 'Google',
};

/** What data centres have, by vendor and device; drivers and pci.ids know the others. */
const MODELS: Readonly<Record<string, string>> = {
  '10de:15f8': 'Tesla P100-PCIE-16GB',
  '10de:1b38': 'Tesla P40',
  '10de:1bb3': 'Tesla P4',
  '10de:1db1': 'Tesla V100-SXM2-16GB',
  '10de:1db4': 'Tesla V100-PCIE-16GB',
  '10de:1db5': 'Tesla V100-SXM2-32GB',
  '10de:1db6': 'Tesla V100-PCIE-32GB',
  '10de:1eb8': 'Tesla T4',
  '10de:20b0': 'A100-SXM4-40GB',
  '10de:20b2': 'A100-SXM4-80GB',
  '10de:20b5': 'A100-PCIE-80GB',
  '10de:20b7': 'A30',
  '10de:20f1': 'A100-PCIE-40GB',
  '10de:2235': 'A40',
  '10de:2236': 'A10',
  '10de:2237': 'A10G',
  '10de:2322': 'H800-PCIE',
  '10de:2330': 'H100-SXM5-80GB',
  '10de:2331': 'H100-PCIE-80GB',
  '10de:2335': 'H200-SXM-141GB',
  '10de:26b5': 'L40',
  '10de:26b9': 'L40S',
  '10de:27b8': 'L4',
  '10de:2901': 'B200',
  '1002:738c': 'Instinct MI100',
  '1002:7408': 'Instinct MI250X',
  '1002:740c': 'Instinct MI250',
  '1002:740f': 'Instinct MI210',
  '1002:74a0': 'Instinct MI300A',
  '1002:74a1': 'Instinct MI300X',
  '1002:74a5': 'Instinct MI325X',
  '8086:0bd5': 'Data Center GPU Max 1550',
  '8086:0bda': 'Data Center GPU Max 1100',
  '8086:56c0': 'Data Center GPU Flex 170',
  '8086:56c1': 'Data Center GPU Flex 140',
};

type Named = { -readonly [K in keyof PciDevice]: PciDevice[K] };

/** Gives devices their names: from the table above, else from the machine's own pci.ids. */
async function nameDevices(reader: FactReader, devices: readonly Named[]): Promise<void> {
  for (const device of devices) {
    const vendor = VENDORS[device.vendorId];
    const model = MODELS[`${device.vendorId}:${device.deviceId}`];
    if (vendor !== undefined) device.vendor = vendor;
    if (model !== undefined) device.model = model;
  }
  const unnamed = devices.filter(({ vendor, model }) => vendor === undefined || model === undefined);
  if (unnamed.length === 0) return;
  for (const path of FILES) {
    const text = await reader.lines('gpus[].model', path, MOST_BYTES);
    if (text === undefined) continue;
    for (const device of unnamed) nameByFile(device, text);
    return;
  }
}

/** A line of its own for a vendor; those of its devices follow, each behind a tab. */
function nameByFile(device: Named, text: string): void {
  const start = `\n${text}`.indexOf(`\n${device.vendorId}  `);
  if (start < 0) return;
  const lines = text.slice(start, start + 2 * 1024 * 1024).split('\n');
  device.vendor ??= lines[0]?.slice(6).trim() ?? '';
  for (const line of lines.slice(1)) {
    if (line.startsWith(`\t${device.deviceId}  `)) {
      device.model ??= line.slice(7).trim();
      return;
    }
    if (line !== '' && !line.startsWith('\t') && !line.startsWith('#')) return;
  }
}
