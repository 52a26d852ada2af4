import type { Host } from '../host/host.ts';
import { readDisks } from './devices/disks.ts';
import { readInterfaces } from './devices/interfaces.ts';
import { readPci } from './devices/pci.ts';
import { FactReader } from './reading/fact-reader.ts';
import type { Facts } from './reading/facts.ts';
import { readSourceFacts } from './source.ts';
import { readMemory, readNuma } from './system/memory.ts';
import { readProcessor } from './system/processor.ts';
import { readCgroups, readKernel, readOs } from './system/software.ts';
import { readFirmware, readSystem, readTpmVersion } from './system/system.ts';
import { readVirtualisation } from './system/virtualisation.ts';

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
