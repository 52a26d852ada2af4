import { isValues, valueAt } from '../yaml/config-node.ts';

/**
 * An argument of the kubelet's in a nodeRegistration. kubeletExtraArgs is a map up to v1beta3 and a list of name and value from
 * v1beta4 on.
 *
 * @returns undefined where it is not there, or empty
 */
export function extraArgument(registration: unknown, name: string): string | undefined {
  const extra = valueAt(registration, 'kubeletExtraArgs');
  if (isValues(extra)) return text(valueAt(extra, name));
  if (!Array.isArray(extra)) return undefined;
  return text(
    valueAt(
      extra.findLast((entry) => valueAt(entry, 'name') === name),
      'value',
    ),
  );
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
