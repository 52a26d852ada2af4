import { omitUndefined } from '../../../kit/json.ts';
import { countOfList } from '../../../kit/number-list.ts';
import { KERNEL_ARCHITECTURES } from '../../platform/instance/read-os-facts.ts';
import { type FactReader, LIST_BYTES } from '../reading/fact-reader.ts';
import type { CpuFacts } from '../reading/facts.ts';

/** A machine of 512 processors has 800 KiB there. */
const MOST_CPUINFO = 8 * 1024 * 1024;
const CPUS = '/sys/devices/system/cpu';
/** Linux knows no machine of more. */
const MOST_CPUS = 8192;

/** What `uname -m` says, from a kernel that shows it (6.1), else from the words of its processors. */
export async function readProcessor(reader: FactReader): Promise<CpuFacts> {
  const info = (await reader.lines('cpu.model', '/proc/cpuinfo', MOST_CPUINFO)) ?? '';
  const field = (name: string) =>
    new RegExp(`^${name}\\s*: *(.*)$`, 'm').exec(info)?.[1]?.trim() || undefined;
  const flags = (field('flags') ?? field('Features') ?? field('features') ?? '').split(/\s+/);
  const arm = armCore(field('CPU implementer'), field('CPU part'));
  const counts = (await topology(reader)) ?? counted(reader, info);
  const architecture =
    (await reader.text('cpu.architecture', '/proc/sys/kernel/arch')) ??
    (reader.host.root === '/' ? KERNEL_ARCHITECTURES[process.arch] : undefined);
  return {
    ...omitUndefined({
      architecture,
      vendor: field('vendor_id') ?? arm?.vendor,
      model: (field('model name') ?? field('cpu') ?? arm?.model)?.replace(/\s+/g, ' '),
      ...counts,
    }),
    flags: flags.filter((flag) => /^[\w.-]{1,64}$/.test(flag)),
  };
}

type Counts = Pick<CpuFacts, 'sockets' | 'cores' | 'threads'>;

/** Counts the sets of processors that share a core or a package. Those that are offline belong to none. */
async function topology(reader: FactReader): Promise<Counts | undefined> {
  const path = `${CPUS}/online`;
  const online = (await reader.bytes('cpu.threads', path))?.toString('latin1').trim();
  const threads = online === undefined ? undefined : countOfList(online);
  if (online === undefined || threads === undefined || threads > MOST_CPUS) {
    if (online !== undefined) reader.remark('cpu.threads', path, 'it is no list of processors');
    return undefined;
  }
  const cores = new Set<string>();
  const sockets = new Set<string>();
  for (const cpu of numbersOf(online)) {
    const shared = async (fact: string, ...names: string[]) => {
      for (const name of names) {
        const list = await reader.bytes(fact, `${CPUS}/cpu${cpu}/topology/${name}`, LIST_BYTES);
        if (list !== undefined) return list.toString('latin1').trim();
      }
      return undefined;
    };
    const core = await shared('cpu.cores', 'core_cpus_list', 'thread_siblings_list');
    const socket = await shared('cpu.sockets', 'package_cpus_list', 'core_siblings_list');
    if (core === undefined || socket === undefined) return { threads };
    cores.add(core);
    sockets.add(socket);
  }
  return { sockets: sockets.size, cores: cores.size, threads };
}

function* numbersOf(list: string): Iterable<number> {
  for (const part of list.split(',')) {
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let number = first; number <= last; number += 1) yield number;
  }
}

/** The same by /proc/cpuinfo, where /sys was not kept. */
function counted(reader: FactReader, info: string): Counts {
  const blocks = info.split(/\n\n/).filter((block) => /^processor\s*:/m.test(block));
  if (blocks.length === 0) return {};
  for (const fact of ['threads', 'cores', 'sockets']) reader.from[`cpu.${fact}`] = '/proc/cpuinfo';
  const id = (block: string, name: string) => new RegExp(`^${name}\\s*: *(\\d+)$`, 'm').exec(block)?.[1];
  const sockets = new Set(blocks.map((block) => id(block, 'physical id')));
  if (sockets.has(undefined)) return { threads: blocks.length };
  const cores = new Set(blocks.map((block) => `${id(block, 'physical id')} ${id(block, 'core id')}`));
  return { threads: blocks.length, cores: cores.size, sockets: sockets.size };
}

/** Arm's own numbers of its cores and of others' (MIDR_EL1), as far as machines have them that become nodes. */
const ARM: Readonly<Record<string, { vendor: string; models: Readonly<Record<string, string>> }>> = {
  '0x41': {
    vendor: 'ARM',
    models: {
      '0xd03': 'Cortex-A53',
      '0xd08': 'Cortex-A72',
      '0xd0b': 'Cortex-A76',
      '0xd0c': 'Neoverse-N1',
      '0xd40': 'Neoverse-V1',
      '0xd49': 'Neoverse-N2',
      '0xd4f': 'Neoverse-V2',
    },
  },
  '0xc0': { vendor: 'Ampere', models: { '0xac3': 'Ampere-1', '0xac4': 'Ampere-1a' } },
  '0x48': { vendor: 'HiSilicon', models: { '0xd01': 'TaiShan-v110' } },
};

function armCore(implementer = '', part = ''): { vendor: string; model: string | undefined } | undefined {
  const maker = ARM[implementer];
  return maker && { vendor: maker.vendor, model: maker.models[part] };
}
