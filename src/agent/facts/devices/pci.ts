import type { Reading } from '../reading/fact-reader.ts';
import type { Gpu, PciDevice } from '../reading/facts.ts';
import { AMD, MAKERS_OF_GPUS, NVIDIA } from '../reading/gpu-vendors.ts';
import { defined } from '../reading/omit-undefined.ts';
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
export async function readPci(reading: Reading): Promise<PciFacts> {
  const facts: PciFacts = { gpus: [], accelerators: [], displays: [] };
  const found: PciDevice[] = [];
  for (const address of await reading.list('gpus', DEVICES)) {
    const path = `${DEVICES}/${address}`;
    const id = async (name: string) =>
      (await reading.bytes('gpus', `${path}/${name}`))?.toString('latin1').trim();
    const code = (await id('class')) ?? '';
    if (!DISPLAY.test(code) && !PROCESSING_ACCELERATOR.test(code) && !COPROCESSOR.test(code)) continue;
    const vendorId = (await id('vendor')) ?? '';
    const deviceId = (await id('device')) ?? '';
    if (
      ![vendorId, deviceId].every((text) => /^0x[0-9a-f]{4}$/.test(text)) ||
      !/^0x[0-9a-f]{6}$/.test(code)
    ) {
      reading.remark('gpus', path, 'its class, vendor or device is no number of PCI');
      continue;
    }
    const device: PciDevice = {
      address,
      class: code.slice(2),
      vendorId: vendorId.slice(2),
      deviceId: deviceId.slice(2),
      ...defined({
        driver: await reading.linked(`${path}/driver`),
        numaNode: await reading.number('gpus[].numaNode', `${path}/numa_node`),
      }),
    };
    found.push(device);
    const isGpu =
      (DISPLAY.test(code) && MAKERS_OF_GPUS.has(device.vendorId)) ||
      // AMD's newer ones say that they are accelerators.
      (PROCESSING_ACCELERATOR.test(code) && device.vendorId === AMD);
    if (isGpu) facts.gpus.push(device);
    else (DISPLAY.test(code) ? facts.displays : facts.accelerators).push(device);
  }
  if (found.length === 0) delete reading.from.gpus;
  await nameDevices(reading, found);
  for (const gpu of facts.gpus) askDriver(reading, gpu);
  return facts;
}

/** What the drivers say of their devices. They may wait for a device that has fallen off its bus. */
function askDriver(reading: Reading, gpu: { -readonly [K in keyof Gpu]: Gpu[K] }): void {
  if (gpu.vendorId === NVIDIA) {
    const path = `/proc/driver/nvidia/gpus/${gpu.address}/information`;
    reading.later('gpus[].model', path, (bytes) => {
      const text = Buffer.from(bytes).toString('utf8');
      const model = /^Model:\s*(.+)$/m.exec(text)?.[1];
      const uuid = /^GPU UUID:\s*(GPU-[0-9a-f-]{36})$/m.exec(text)?.[1];
      const told = model === undefined ? undefined : reading.clean('gpus[].model', path, Buffer.from(model));
      if (told !== undefined) gpu.model = told;
      if (uuid !== undefined) gpu.uuid = uuid;
    });
  }
  if (gpu.vendorId === AMD) {
    const path = `${DEVICES}/${gpu.address}`;
    reading.later('gpus[].memoryBytes', `${path}/mem_info_vram_total`, (bytes) => {
      const text = Buffer.from(bytes).toString('latin1').trim();
      if (/^[1-9]\d{0,14}$/.test(text)) gpu.memoryBytes = Number(text);
    });
    reading.later('gpus[].model', `${path}/product_name`, (bytes) => {
      const told = reading.clean('gpus[].model', `${path}/product_name`, bytes);
      if (told !== undefined) gpu.model = told;
    });
  }
}
