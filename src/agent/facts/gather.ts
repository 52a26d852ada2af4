import type { Host } from '../host/host.ts';
import { readDisks } from './devices/disks.ts';
import { readInterfaces } from './devices/interfaces.ts';
import { readPci } from './devices/pci.ts';
import { Reading } from './reading/fact-reader.ts';
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
  const reading = new Reading(host);
  const system = await readSystem(reading);
  const cpu = await readProcessor(reading);
  const virtualisation = await readVirtualisation(reading, system, cpu);
  // Before cards and interfaces: what has to be waited for is read in this order, and there may be no time for all.
  const firmware = await readFirmware(reading);
  const tpm = await readTpmVersion(reading);
  const cgroups = await readCgroups(reading);
  const facts = {
    version: 1 as const,
    system,
    cpu,
    memory: await readMemory(reading),
    numa: await readNuma(reading),
    ...(await readPci(reading)),
    disks: await readDisks(reading),
    interfaces: await readInterfaces(reading),
    ...(virtualisation === undefined ? {} : { virtualisation }),
    firmware,
    ...(tpm === undefined ? {} : { tpm }),
    kernel: await readKernel(reading),
    os: await readOs(reading),
    ...(cgroups === undefined ? {} : { cgroups }),
    source: await readSourceFacts(reading),
  };
  await reading.finish();
  return { ...facts, from: reading.from, remarks: reading.remarks };
}
