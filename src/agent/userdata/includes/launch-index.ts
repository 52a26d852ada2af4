import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { type MappingNode, pythonText } from '../../text/yaml/yaml-node.ts';
import type { Part } from '../decode/part.ts';

/**
 * Is a part for this machine? Of machines that were started together each has an index in its metadata, and a part may name
 * the one that it is for: in its header `Launch-Index`, or a cloud-config behind the key `launch-index`. The header wins.
 *
 * @param root The cloud-config's content.
 */
export function isForThisMachine(
  { launchIndex, source }: Part,
  metaData: Record<string, unknown>,
  diagnostics: Diagnostics,
  root?: MappingNode,
): boolean {
  const own = indexOf(metaData['launch-index'] ?? metaData['ami-launch-index']);
  const key = root?.entries.find((entry) => pythonText(entry.key) === 'launch-index');
  const given = launchIndex ?? (key === undefined ? undefined : pythonText(key.value));
  if (own === undefined || given === undefined) return true;
  const wanted = indexOf(given);
  // cloud-init gives a part whose header is no number to nobody, and reads over such a key.
  if (wanted === own || (wanted === undefined && launchIndex === undefined)) return true;
  const message = `The part is for the machine with the launch index ${printable(given)}, and this one has ${own}; it is ignored.`;
  diagnostics.warn('UserDataIgnoredKey', message, key?.key.where ?? source.locate(0));
  return false;
}

function indexOf(value: unknown): number | undefined {
  const text = String(value ?? '').trim();
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
