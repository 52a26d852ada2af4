import {
  CAPACITY_FACT,
  CAPACITY_LABELS_FACT,
  CAPACITY_TAINTS_FACT,
  type Capacity,
  type CapacityKey,
  isLabelKey,
  isLabelValue,
  readCapacity,
} from '../../protocol/facts.ts';
import { CAPACITY_PREFIX } from './group.ts';

/** What one machine has brought. */
export interface MachineCapacity {
  readonly capacity: Capacity;
  readonly labels: readonly string[];
  readonly taints: readonly string[];
}

interface Expected {
  /** By their whole keys. */
  readonly annotations: Record<string, string>;
  /** How the machines differ, in words; empty where they are alike. */
  readonly differences: string[];
}

/** Kernels and file systems keep a little of what machines of one kind have, and not the same. */
const TOLERANCE = 0.02;
const EFFECTS = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);

/** What a node's facts say of its capacity; only what the autoscaler can read of it. Undefined where they say nothing. */
export function capacityFromFacts(facts: Readonly<Record<string, string>>): MachineCapacity | undefined {
  const text = facts[CAPACITY_FACT];
  if (text === undefined) return undefined;
  const list = (name: string) => (facts[name] ?? '').split(',').filter((entry) => entry !== '');
  return {
    capacity: readCapacity(text),
    labels: list(CAPACITY_LABELS_FACT).filter(isLabel),
    taints: list(CAPACITY_TAINTS_FACT).filter(isTaint),
  };
}

/**
 * What the next machine can be counted on to bring: the least of what each has brought. A label counts where all have it,
 * a taint where any has it, so the autoscaler never makes a machine for a pod that cannot run there.
 */
export function expectedCapacity(machines: readonly MachineCapacity[]): Expected {
  const annotations: Record<string, string> = {};
  const differences: string[] = [];
  for (const key of ['cpu', 'memory', 'ephemeral-disk', 'maxPods'] as const) {
    const least = leastOf(machines, key, key === 'memory' || key === 'ephemeral-disk' ? TOLERANCE : 0);
    if (least.text !== undefined) annotations[CAPACITY_PREFIX + key] = least.text;
    if (least.difference !== undefined) differences.push(least.difference);
  }
  addGpus(machines, annotations, differences);
  const labels = shared(machines.map((machine) => machine.labels));
  const taints = [...new Set(machines.flatMap((machine) => machine.taints))].sort();
  if (labels.length > 0) annotations[`${CAPACITY_PREFIX}labels`] = labels.join(',');
  if (taints.length > 0) annotations[`${CAPACITY_PREFIX}taints`] = taints.join(',');
  if (machines.some((machine) => machine.taints.length !== taints.length))
    differences.push('not all have the same taints');
  return { annotations, differences };
}

function leastOf(machines: readonly MachineCapacity[], key: CapacityKey, tolerance: number) {
  const texts = machines.map(({ capacity }) => capacity[key]);
  if (texts.includes(undefined)) {
    const isSome = texts.some((text) => text !== undefined);
    return { text: undefined, difference: isSome ? `not all have told their ${key}` : undefined };
  }
  const sorted = texts
    .map((text = '') => ({ text, value: quantity(text) }))
    .sort((a, b) => a.value - b.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return { text: undefined, difference: undefined };
  const isAlike = most.value - least.value <= most.value * tolerance;
  return { text: least.text, difference: isAlike ? undefined : `${key} is ${least.text} to ${most.text}` };
}

function addGpus(
  machines: readonly MachineCapacity[],
  annotations: Record<string, string>,
  differences: string[],
): void {
  const types = new Set(machines.map(({ capacity }) => capacity['gpu-type']));
  const counts = machines.map(({ capacity }) => Number(capacity['gpu-count'] ?? 0));
  const [type] = types;
  const least = Math.min(...counts);
  if (types.size === 1 && type !== undefined && least > 0) {
    annotations[`${CAPACITY_PREFIX}gpu-count`] = String(least);
    annotations[`${CAPACITY_PREFIX}gpu-type`] = type;
  }
  if (types.size > 1) differences.push('not all have the same GPUs');
  else if (Math.max(...counts) !== least) differences.push(`GPUs are ${least} to ${Math.max(...counts)}`);
}

function shared(lists: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = lists;
  return first.filter((entry) => others.every((list) => list.includes(entry))).sort();
}

const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** A quantity of Kubernetes, as `readCapacity` lets it pass. */
function quantity(text: string): number {
  const [, digits = '0', suffix = ''] = /^([\d.]+)(\w*)$/.exec(text) ?? [];
  return Number(digits) * (SUFFIXES[suffix] ?? 0);
}

function isLabel(entry: string): boolean {
  const [key = '', value = '', ...more] = entry.split('=');
  return more.length === 0 && isLabelKey(key) && isLabelValue(value);
}

/** `key=value:Effect`, or without a value. */
function isTaint(entry: string): boolean {
  const [mark = '', effect = '', ...more] = entry.split(':');
  return more.length === 0 && EFFECTS.has(effect) && isLabel(mark);
}
