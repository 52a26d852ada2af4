import { bytesText } from '../../../kit/bytes-text.ts';
import {
  CAPACITY_FACT,
  CAPACITY_LABELS_FACT,
  CAPACITY_TAINTS_FACT,
  type Capacity,
  capacityText,
  IDENTIFYING_FACTS,
} from '../../../protocol/facts.ts';
import type { NodeCapacity } from '../../cluster/node-capacity.ts';
import type { Facts, Gpu } from '../../facts/reading/facts.ts';

/** Each name at most once. */
export type ReportedFacts = ReadonlyMap<string, string>;

/** No list of devices is told in more characters; `slipway facts` on the machine has all. */
const MOST_CHARACTERS = 240;

/** What of the facts goes to those who are told how the bootstrap goes, a fact a line. */
export function reportedFacts(facts: Facts, withIdentifiers: boolean): ReportedFacts {
  const { system, cpu, memory, firmware, source } = facts;
  const numbers = { sockets: cpu.sockets, cores: cpu.cores, 'numa-nodes': facts.numa.length || undefined };
  const texts: Record<string, string | undefined> = {
    vendor: system.vendor,
    product: system.product,
    serial: system.serial,
    uuid: system.uuid,
    architecture: cpu.architecture,
    cpu: cpu.model,
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value?.toString()])),
    'installed-memory': memory.installedBytes === undefined ? undefined : bytesText(memory.installedBytes),
    gpus: alike(facts.gpus.map(nameOf)),
    'gpu-uuids': listed(facts.gpus.map(({ uuid }) => uuid)),
    accelerators: alike(facts.accelerators.map(nameOf)),
    disks: alike(
      facts.disks.map(({ bytes, model, transport }) =>
        [bytesText(bytes), model ?? transport].filter(Boolean).join(' '),
      ),
    ),
    'disk-serials': listed(facts.disks.map(({ serial }) => serial)),
    interfaces: listed(
      facts.interfaces.map(({ name, speedMbps, driver }) =>
        [name, driver, speedMbps === undefined ? undefined : `${speedMbps} Mbit/s`].filter(Boolean).join(' '),
      ),
    ),
    macs: listed(facts.interfaces.map(({ mac }) => mac)),
    virtualisation: facts.virtualisation,
    firmware: listed([firmware.kind, firmware.version]),
    'secure-boot': firmware.secureBoot === undefined ? undefined : firmware.secureBoot ? 'on' : 'off',
    tpm: facts.tpm?.version,
    cgroups: facts.cgroups,
    'instance-type': source.instanceType,
    region: source.region,
    zone: source.zone,
  };
  return chosen(texts, withIdentifiers);
}

/** What the autoscaler asks of a Node that is not there yet; of the GPUs, what a device plugin will make of them. */
export function capacityFacts({ resources, labels, taints }: NodeCapacity, facts: Facts): ReportedFacts {
  const gpus = gpusIn(resources) ?? gpusOf(facts.gpus);
  const capacity: Capacity = {
    ...given('cpu', resources.cpu),
    ...given('memory', resources.memory),
    ...given('ephemeral-disk', resources['ephemeral-storage']),
    ...given('maxPods', resources.pods),
    ...gpus,
  };
  return chosen(
    {
      [CAPACITY_FACT]: capacityText(capacity),
      [CAPACITY_LABELS_FACT]: labels,
      [CAPACITY_TAINTS_FACT]: taints,
    },
    true,
  );
}

/** Resources by which device plugins offer GPUs. */
const GPU_RESOURCES = ['nvidia.com/gpu', 'amd.com/gpu', 'gpu.intel.com/xe', 'gpu.intel.com/i915'];

function gpusIn(resources: Readonly<Record<string, string>>): Capacity | undefined {
  const type = GPU_RESOURCES.find((name) => /^[1-9]\d*$/.test(resources[name] ?? ''));
  return type === undefined ? undefined : { 'gpu-count': resources[type] ?? '', 'gpu-type': type };
}

/** Counts the GPUs of the maker with most of them. A processor's own graphics are no GPU that a Node offers. */
function gpusOf(gpus: readonly Gpu[]): Capacity {
  const counts = GPU_RESOURCES.map((type) => ({
    type,
    count: gpus.filter((gpu) => offeredAs(gpu) === type).length,
  }));
  const [most] = counts.toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0
    ? {}
    : { 'gpu-count': String(most.count), 'gpu-type': most.type };
}

const DISCRETE_BYTES = 4 * 2 ** 30;

function offeredAs({ vendorId, class: code, memoryBytes = 0 }: Gpu): string | undefined {
  const isPlainDisplay = code.startsWith('0300');
  if (vendorId === '10de') return 'nvidia.com/gpu';
  if (vendorId === '1002') return isPlainDisplay && memoryBytes < DISCRETE_BYTES ? undefined : 'amd.com/gpu';
  return vendorId === '8086' && !isPlainDisplay ? 'gpu.intel.com/i915' : undefined;
}

function nameOf({ vendor, model, vendorId, deviceId }: Facts['accelerators'][number]): string {
  const name = model ?? `[${vendorId}:${deviceId}]`;
  return vendor === undefined || name.startsWith(vendor) ? name : `${vendor} ${name}`;
}

/** `8 x A, 1 x B`. */
function alike(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return listed([...counts].map(([name, count]) => `${count} x ${name}`));
}

/** As many as there is room for. */
function listed(parts: readonly (string | undefined)[]): string | undefined {
  let text = '';
  const given = parts.filter((part) => part !== undefined && part !== '');
  for (const [at, part] of given.entries()) {
    const longer = at === 0 ? `${part}` : `${text}, ${part}`;
    if (longer.length > MOST_CHARACTERS) return `${text}, and ${given.length - at} more`;
    text = longer;
  }
  return text;
}

function chosen(
  texts: Readonly<Record<string, string | undefined>>,
  withIdentifiers: boolean,
): ReportedFacts {
  return new Map(
    Object.entries(texts).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && entry[1] !== '' && (withIdentifiers || !IDENTIFYING_FACTS.has(entry[0])),
    ),
  );
}

function given(key: keyof Capacity, value: string | undefined): Capacity {
  return value === undefined ? {} : { [key]: value };
}
