import { omitUndefined } from '../../../kit/json.ts';
import { HostError } from '../../host/host.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { Disk } from '../reading/facts.ts';

const BLOCK = '/sys/block';
/** The unit of /sys, whatever the disk's own sector size is. */
const SECTOR = 512;
/** Peripheral device types of SCSI: tapes, optical drives and enclosures hold no file systems. */
const SCSI_DISKS = new Set([0, 7, 14]);

/** Devices with hardware or a hypervisor behind them; without a medium they hold nothing. */
export async function readDisks(reader: FactReader): Promise<Disk[]> {
  const disks: Disk[] = [];
  for (const name of await reader.list('disks', BLOCK)) {
    const path = `${BLOCK}/${name}`;
    // Boot partitions of an eMMC look like disks of their own.
    if (!(await reader.has(`${path}/device`)) || /^mmcblk\d+(boot\d+|rpmb)$/.test(name)) continue;
    const type = await reader.number('disks[].kind', `${path}/device/type`);
    delete reader.from['disks[].kind'];
    const size = (await reader.number('disks[].bytes', `${path}/size`)) ?? 0;
    if (size === 0 || (type !== undefined && !SCSI_DISKS.has(type))) continue;
    disks.push({
      name: name.replaceAll('!', '/'),
      bytes: size * SECTOR,
      ...omitUndefined({
        model: await modelOf(reader, path),
        serial: await serialOf(reader, path),
        rotational: await reader.flag('disks[].rotational', `${path}/queue/rotational`),
        transport: await transportOf(reader, path, name),
        removable: (await reader.flag('disks[].removable', `${path}/removable`)) === true ? true : undefined,
        readOnly: (await reader.flag('disks[].readOnly', `${path}/ro`)) === true ? true : undefined,
        sectorBytes: await reader.number('disks[].sectorBytes', `${path}/queue/logical_block_size`),
      } as const),
    });
  }
  return disks;
}

async function modelOf(reader: FactReader, path: string): Promise<string | undefined> {
  const model =
    (await reader.text('disks[].model', `${path}/device/model`)) ??
    (await reader.text('disks[].model', `${path}/device/name`));
  // Disks behind SATA have the name of the standard for a vendor, and disks of virtio a number.
  const vendor = await reader.text('disks[].vendor', `${path}/device/vendor`);
  delete reader.from['disks[].vendor'];
  return model === undefined || vendor === undefined || /^(ATA$|0x)/.test(vendor)
    ? model
    : `${vendor} ${model}`;
}

/** NVMe, virtio and eMMC have it as a text, SCSI and SATA as page 80 of their vital product data. */
async function serialOf(reader: FactReader, path: string): Promise<string | undefined> {
  const fact = 'disks[].serial';
  const text =
    (await reader.text(fact, `${path}/device/serial`)) ?? (await reader.text(fact, `${path}/serial`));
  if (text !== undefined) return text;
  const page = `${path}/device/vpd_pg80`;
  const bytes = await reader.bytes(fact, page);
  if (bytes === undefined || bytes.length < 4 || bytes[1] !== 0x80) return undefined;
  return reader.clean(fact, page, bytes.subarray(4, 4 + bytes.readUInt16BE(2)));
}

/** By the names of the devices between it and the processor. */
async function transportOf(reader: FactReader, path: string, name: string): Promise<string | undefined> {
  const way = await wayTo(reader, path);
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
  if (found !== undefined) reader.from['disks[].transport'] = `${BLOCK}/*`;
  return found;
}

async function wayTo(reader: FactReader, path: string): Promise<string> {
  try {
    return await reader.host.files.readlink(path);
  } catch (error) {
    if (error instanceof HostError) return '';
    throw error;
  }
}
