import { omitUndefined } from '../../kit/json.ts';
import { INSTANCE_FILE } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { readDisks } from './devices/disks.ts';
import { readInterfaces } from './devices/interfaces.ts';
import { readPci } from './devices/pci.ts';
import { FactReader } from './reading/fact-reader.ts';
import type { Facts, SourceFacts } from './reading/facts.ts';
import { readMemory, readNuma } from './system/memory.ts';
import { readProcessor } from './system/processor.ts';
import { readCgroups, readKernel, readOs } from './system/software.ts';
import { readFirmware, readSystem, readTpmVersion, readVirtualisation } from './system/system.ts';

/**
 * Learns what the machine is, on Linux from files of the kernel alone: it starts no program but one that reads what may hang, asks
 * no network, and changes nothing. Below a root it looks at what was captured there. What cannot be read costs nothing
 * else.
 */
export async function gatherFacts(host: Host): Promise<Facts> {
  // What was captured of a machine is Linux's, wherever it is looked at.
  if (process.platform === 'win32' && host.root === '/')
    return (await import('./windows/gather-windows.ts')).gatherWindowsFacts(host, readSourceFacts);
  const reader = new FactReader(host);
  const system = await readSystem(reader);
  const cpu = await readProcessor(reader);
  const virtualisation = await readVirtualisation(reader, system, cpu);
  // Before cards and interfaces: what has to be waited for is read in this order, and there may be no time for all.
  const firmware = await readFirmware(reader);
  const tpm = await readTpmVersion(reader);
  const cgroups = await readCgroups(reader);
  const facts = {
    version: 1 as const,
    system,
    cpu,
    memory: await readMemory(reader),
    numa: await readNuma(reader),
    ...(await readPci(reader)),
    disks: await readDisks(reader),
    interfaces: await readInterfaces(reader),
    ...(virtualisation === undefined ? {} : { virtualisation }),
    firmware,
    ...(tpm === undefined ? {} : { tpm }),
    kernel: await readKernel(reader),
    os: await readOs(reader),
    ...(cgroups === undefined ? {} : { cgroups }),
    source: await readSourceFacts(reader),
  };
  await reader.finish();
  return { ...facts, from: reader.from, remarks: reader.remarks };
}

/** What cloud-init leaves for everybody to read, without secrets. */
const CLOUD_INIT = '/run/cloud-init/instance-data.json';
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * What the source of user data said of this machine: kept by the bootstrap, or by cloud-init. The metadata service itself is
 * not asked again; nobody has asked for that connection.
 */
async function readSourceFacts(reader: FactReader): Promise<SourceFacts> {
  const own = await json(reader, INSTANCE_FILE);
  if (own !== undefined) {
    const field = (name: keyof SourceFacts, key: string = name) =>
      text(reader, name, INSTANCE_FILE, own[key]);
    return omitUndefined({
      name: field('name', 'source'),
      instanceId: field('instanceId', 'id'),
      instanceType: field('instanceType'),
      region: field('region'),
      zone: field('zone'),
      providerId: field('providerId'),
    });
  }
  const data = await json(reader, CLOUD_INIT);
  if (data === undefined) return {};
  const v1 = record(data.v1);
  const meta = record(record(data.ds).meta_data);
  const compute = record(record(meta.imds).compute);
  const field = (name: keyof SourceFacts, ...values: unknown[]) =>
    text(
      reader,
      name,
      CLOUD_INIT,
      values.find((value) => typeof value === 'string' && value !== ''),
    );
  return omitUndefined({
    name: field('name', v1.platform, v1.cloud_name),
    instanceId: field('instanceId', v1.instance_id),
    instanceType: field('instanceType', meta['instance-type'], compute.vmSize),
    region: field('region', v1.region),
    zone: field('zone', v1.availability_zone),
  });
}

async function json(reader: FactReader, path: string): Promise<Record<string, unknown> | undefined> {
  const bytes = await reader.bytes('source', path, MOST_BYTES);
  if (bytes === undefined) return undefined;
  try {
    return record(JSON.parse(bytes.toString('utf8')));
  } catch {
    reader.remark('source', path, 'it is no JSON');
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(reader: FactReader, name: string, path: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return reader.clean(`source.${name}`, path, Buffer.from(value));
}
