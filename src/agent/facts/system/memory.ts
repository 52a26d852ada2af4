import { omitUndefined } from '../../../kit/json.ts';
import { type FactReader, LIST_BYTES } from '../reading/fact-reader.ts';
import type { MemoryFacts, NumaNode } from '../reading/facts.ts';
import { MAX_SMBIOS_BYTES, memoryDevices } from './smbios.ts';

const SMBIOS = '/sys/firmware/dmi/tables/DMI';
const BLOCKS = '/sys/devices/system/memory';

/** How much memory the kernel has, how much is built in, and how much may be swapped. */
export async function readMemory(reader: FactReader): Promise<MemoryFacts> {
  const info = (await reader.lines('memory.bytes', '/proc/meminfo', 64 * 1024)) ?? '';
  if (info !== '') reader.from['memory.swapBytes'] = '/proc/meminfo';
  return omitUndefined({
    bytes: kilobytes(info, 'MemTotal'),
    swapBytes: kilobytes(info, 'SwapTotal'),
    installedBytes: (await bySmbios(reader)) ?? (await byBlocks(reader)),
  });
}

function kilobytes(text: string, name: string): number | undefined {
  const digits = new RegExp(`\\b${name}:\\s+(\\d{1,12}) kB`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits) * 1024;
}

/** What the firmware says of the modules; root alone may look. */
async function bySmbios(reader: FactReader): Promise<number | undefined> {
  const fact = 'memory.installedBytes';
  const table = await reader.bytes(fact, SMBIOS, MAX_SMBIOS_BYTES);
  const sum = table && memoryDevices(table).reduce((bytes, size) => bytes + size, 0);
  if (sum !== undefined && sum > 0) return sum;
  delete reader.from[fact];
  return undefined;
}

/** What the kernel was given, as lsmem counts: blocks that are online. */
async function byBlocks(reader: FactReader): Promise<number | undefined> {
  const fact = 'memory.installedBytes';
  const text = (await reader.bytes(fact, `${BLOCKS}/block_size_bytes`))?.toString('latin1').trim();
  if (text === undefined || !/^[0-9a-f]{1,13}$/.test(text)) {
    delete reader.from[fact];
    return undefined;
  }
  let online = 0;
  for (const name of await reader.list(fact, BLOCKS)) {
    if (!/^memory\d+$/.test(name)) continue;
    const state = await reader.bytes(fact, `${BLOCKS}/${name}/state`);
    if (state?.toString('latin1').trim() === 'online') online += 1;
  }
  return online === 0 ? undefined : online * Number.parseInt(text, 16);
}

const NODES = '/sys/devices/system/node';

export async function readNuma(reader: FactReader): Promise<NumaNode[]> {
  const numbers = (await reader.list('numa', NODES))
    .flatMap((name) => /^node(\d{1,4})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const nodes: NumaNode[] = [];
  for (const node of numbers) {
    const cpus = (await reader.bytes('numa[].cpus', `${NODES}/node${node}/cpulist`, LIST_BYTES))
      ?.toString('latin1')
      .trim();
    const info = await reader.lines('numa[].bytes', `${NODES}/node${node}/meminfo`, 16 * 1024);
    nodes.push({ node, cpus: cpus ?? '', ...omitUndefined({ bytes: kilobytes(info ?? '', 'MemTotal') }) });
  }
  return nodes;
}
