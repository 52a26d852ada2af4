import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { SourceText } from '../../../text/source-text.ts';
import type { JsonNode } from '../json/parse.ts';

/** A version of the spec that Slipway reads. */
export interface Version {
  major: 2 | 3;
  minor: number;
  text: string;
}

/** Minor versions. */
export const NEWEST = { 2: 4, 3: 6 } as const;

/** Reads `ignition.version`. @returns undefined after an error */
export function versionOf(root: JsonNode, source: SourceText, diagnostics: Diagnostics): Version | undefined {
  const ignition = members([root], 'ignition');
  const node = members(ignition, 'version').at(-1);
  if (node?.kind !== 'string') {
    const where = source.locate((node ?? ignition.at(-1) ?? root).start);
    diagnostics.error(
      'UserDataInvalid',
      '$.ignition.version must be the spec version, such as "3.4.0".',
      where,
    );
    return undefined;
  }
  const found = /^([23])\.([0-9]+)\.0$/.exec(node.value);
  const major = found?.[1] === '2' ? 2 : 3;
  const minor = Number(found?.[2]);
  if (found && minor <= NEWEST[major]) return { major, minor, text: node.value };
  diagnostics.error(
    'UserDataInvalid',
    '$.ignition.version is not supported; it must be 2.0.0 to 2.4.0, or 3.0.0 to 3.6.0.',
    source.locate(node.start),
  );
  return undefined;
}

/** Values of a key in all of these objects. Its case does not matter, and the last counts, as in Go. */
function members(nodes: readonly JsonNode[], key: string): JsonNode[] {
  return nodes.flatMap((node) =>
    node.kind === 'object'
      ? node.members
          .filter((one) => one.key.toLowerCase() === key && one.value.kind !== 'null')
          .map(({ value }) => value)
      : [],
  );
}
