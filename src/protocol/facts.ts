/** Names of fact events that agent and controller both know, and how capacity is written in one. */

/** What tells one machine from all others: told and kept only where both sides are set to it. */
export const IDENTIFYING_FACTS: ReadonlySet<string> = new Set([
  'serial',
  'uuid',
  'macs',
  'disk-serials',
  'gpu-uuids',
]);

/** What a Node has brought; the two others are lists as the cluster-autoscaler's annotations have them. */
export const CAPACITY_FACT = 'capacity';
export const CAPACITY_LABELS_FACT = 'capacity-labels';
export const CAPACITY_TAINTS_FACT = 'capacity-taints';

/** Most characters of a list; a longer one loses entries, never half of one. */
export const MAX_CAPACITY_LIST = 1000;

/** `cpu`, `memory` and `ephemeral-disk` are quantities of Kubernetes; `maxPods` and `gpu-count` are whole numbers. */
const CAPACITY_KEYS = ['cpu', 'memory', 'ephemeral-disk', 'maxPods', 'gpu-count', 'gpu-type'] as const;
export type CapacityKey = (typeof CAPACITY_KEYS)[number];
export type Capacity = Partial<Record<CapacityKey, string>>;

/** `cpu=8 memory=16393240Ki`. */
export function capacityText(capacity: Capacity): string {
  return CAPACITY_KEYS.flatMap((key) => (capacity[key] === undefined ? [] : `${key}=${capacity[key]}`)).join(
    ' ',
  );
}

/** What is not in the form that the autoscaler reads is left out. */
export function readCapacity(text: string): Capacity {
  const capacity: Capacity = {};
  for (const part of text.split(' ').slice(0, 16)) {
    const at = part.indexOf('=');
    const key = CAPACITY_KEYS.find((known) => known === part.slice(0, at));
    const value = part.slice(at + 1);
    if (key !== undefined && FORMS[key].test(value)) capacity[key] = value;
  }
  return capacity;
}

const QUANTITY = /^\d{1,15}(?:\.\d{1,3})?(?:m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;
const WHOLE = /^\d{1,6}$/;
const RESOURCE = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?\/[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const FORMS: Readonly<Record<CapacityKey, RegExp>> = {
  cpu: QUANTITY,
  memory: QUANTITY,
  'ephemeral-disk': QUANTITY,
  maxPods: WHOLE,
  'gpu-count': WHOLE,
  'gpu-type': RESOURCE,
};

/**
 * Kubernetes' rules for labels and taints (k8s.io/apimachinery, `IsQualifiedName` and `IsValidLabelValue`): a key is a name of 63
 * characters, with a name of DNS before it or without; a value is such a name, or empty.
 */
const KEY =
  /^(?:(?=[^/]{1,253}\/)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

export function isLabelKey(text: string): boolean {
  return KEY.test(text);
}

export function isLabelValue(text: string): boolean {
  return VALUE.test(text);
}
