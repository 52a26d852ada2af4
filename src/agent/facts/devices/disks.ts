import { HostError } from '../../host/host.ts';
import type { Reading } from '../reading/fact-reader.ts';
import type { Disk } from '../reading/facts.ts';
import { defined } from '../reading/omit-undefined.ts';

const BLOCK = '/sys/block';
/** The unit of /sys, whatever the disk's own sector size is. */
const SECTOR = 512;
/** Peripheral device types of SCSI: tapes, optical drives and enclosures hold no file systems. */
const SCSI_DISKS = new Set([0, 7, 14]);

/** Devices with hardware or a hypervisor behind them; without a medium they hold nothing. */
export async function readDisks(reading: Reading): Promise<Disk[]> {
  const disks: Disk[] = [];
  for (const name of await reading.list('disks', BLOCK)) {
    const path = `${BLOCK}/${name}`;
    // Boot partitions of an eMMC look like disks of their own.
    if (!(await reading.has(`${path}/device`)) || /^mmcblk\d+(boot\d+|rpmb)$/.test(name)) continue;
    const type = await reading.number('disks[].kind', `${path}/device/type`);
    delete reading.from['disks[].kind'];
    const size = (await reading.number('disks[].bytes', `${path}/size`)) ?? 0;
    if (size === 0 || (type !== undefined && !SCSI_DISKS.has(type))) continue;
    disks.push({
      name: name.replaceAll('!', '/'),
      bytes: size * SECTOR,
      ...defined({
        model: await modelOf(reading, path),
        serial: await serialOf(reading, path),
        rotational: await reading.flag('disks[].rotational', `${path}/queue/rotational`),
        transport: await transportOf(reading, path, name),
        removable: (await reading.flag('disks[].removable', `${path}/removable`)) === true ? true : undefined,
        readOnly: (await reading.flag('disks[].readOnly', `${path}/ro`)) === true ? true : undefined,
        sectorBytes: await reading.number('disks[].sectorBytes', `${path}/queue/logical_block_size`),
      } as const),
    });
  }
  return disks;
}

async function modelOf(reading: Reading, path: string): Promise<string | undefined> {
  const model =
    (await reading.text('disks[].model', `${path}/device/model`)) ??
    (await reading.text('disks[].model', `${path}/device/name`));
  // Disks behind SATA have the name of the standard for a vendor, and disks of virtio a number.
  const vendor = await reading.text('disks[].vendor', `${path}/device/vendor`);
  delete reading.from['disks[].vendor'];
  return model === undefined || vendor === undefined || /^(ATA$|0x)/.test(vendor)
    ? model
    : `${vendor} ${model}`;
}

/** NVMe, virtio and eMMC have it as a text, SCSI and SATA as page 80 of their vital product data. */
async function serialOf(reading: Reading, path: string): Promise<string | undefined> {
  const fact = 'disks[].serial';
  const text =
    (await reading.text(fact, `${path}/device/serial`)) ?? (await reading.text(fact, `${path}/serial`));
  if (text !== undefined) return text;
  const page = `${path}/device/vpd_pg80`;
  const bytes = await reading.bytes(fact, page);
  if (bytes === undefined || bytes.length < 4 || bytes[1] !== 0x80) return undefined;
  return reading.clean(fact, page, bytes.subarray(4, 4 + bytes.readUInt16BE(2)));
}

/** By the names of the devices between it and the processor. */
async function transportOf(reading: Reading, path: string, name: string): Promise<string | undefined> {
  const way = await wayTo(reading, path);
  const known = [
    [/\/nvme\d+|^nvme/, 'nvme'],
    [/\/usb\d+\//, 'usb'],
    [/\/mmc\d+|^mmcblk/, 'mmc'],
    [/\/ata\d+\//, 'ata'],
    [/\/virtio\d+\//, 'virtio'],
    [/^xvd|\/vbd-/, 'xen'],
    [/\/host\d+\//, 'scsi'],
  ] as const;
  const found = known.find(([sign]) => sign.test(way) || sign.test(name))?.[1];
  if (found !== undefined) reading.from['disks[].transport'] = `${BLOCK}/*`;
  return found;
}

async function wayTo(reading: Reading, path: string): Promise<string> {
  try {
    return await reading.host.files.readlink(path);
  } catch (error) {
    if (error instanceof HostError) return '';
    throw error;
  }
}
