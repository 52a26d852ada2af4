import type { FactReader } from '../reading/fact-reader.ts';
import type { Gpu, PciDevice } from '../reading/facts.ts';
import { AMD, GPU_VENDORS, NVIDIA } from '../reading/gpu-vendors.ts';
import { omitUndefined } from '../reading/omit-undefined.ts';
import { nameDevices } from './pci-names.ts';

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
