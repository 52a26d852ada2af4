import { isMap, isSeq, type YAMLMap } from 'yaml';

/**
 * An argument of the kubelet's in a nodeRegistration. kubeletExtraArgs is a map up to v1beta3 and a list of name and value from
 * v1beta4 on.
 *
 * @returns undefined where it is not there, or empty
 */
export function extraArgument(registration: YAMLMap | undefined, name: string): string | undefined {
  const extra = registration?.get('kubeletExtraArgs');
  if (isMap(extra)) return text(extra.get(name));
  if (!isSeq(extra)) return undefined;
  const item = extra.items.filter((entry) => isMap(entry)).findLast((entry) => entry.get('name') === name);
  return text(item?.get('value'));
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
