import type { Instance } from './instance.ts';

/** What clouds call the size of a machine in their metadata. */
const KEYS = ['instance-type', 'instance_type', 'service-offering', 'shape', 'commercial_type', 'vmSize'];

/** The cloud's name of what this machine is, such as `m5.large`, wherever its source keeps that. */
export function instanceTypeOf({ cloud, metaData }: Instance): string | undefined {
  if (cloud?.instanceType !== undefined) return cloud.instanceType;
  // Azure has it one level further down.
  for (const from of [metaData, inner(inner(metaData, 'imds'), 'compute')]) {
    for (const key of KEYS) {
      const value = from[key];
      if (typeof value === 'string' && value !== '' && value.length <= 128) return value;
    }
  }
  return undefined;
}

function inner(from: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = from[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
