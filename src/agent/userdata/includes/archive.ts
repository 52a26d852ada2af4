import { isGzip } from '../../../kit/bytes/gunzip.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../text/limits.ts';
import { plainText, type SourceText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { describe, type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { type Part, typeOf } from '../decode/part.ts';
import { toText } from '../decode/text.ts';

const DEFAULT_TYPE = 'text/cloud-config';

/**
 * The parts of a `#cloud-config-archive`: a YAML list of texts, or of mappings with `content` and perhaps `type`,
 * `filename`, `launch-index` and `Merge-Type`. A text without a known first line is a cloud-config.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function readArchive(part: Part, diagnostics: Diagnostics): Part[] | undefined {
  const root = parseYaml(part.source, diagnostics);
  if (root === undefined) return undefined;
  if (root.kind !== 'sequence') {
    if (root.kind === 'null') return [];
    diagnostics.error(
      'UserDataInvalid',
      `A cloud-config-archive must be a list, not ${describe(root)}.`,
      root.where,
    );
    return undefined;
  }
  const budget = { left: MAX_DECODED_BYTES };
  const parts = root.items.map((item, index) => entryOf(item, index + 1, budget, diagnostics));
  return parts.some((each) => each === undefined) ? undefined : parts.filter((each) => each !== undefined);
}

function entryOf(
  item: YamlNode,
  number: number,
  budget: { left: number },
  diagnostics: Diagnostics,
): Part | undefined {
  const what = `entry ${number} of the archive`;
  const entry: MappingNode | undefined = item.kind === 'mapping' ? item : undefined;
  const content = entry === undefined ? item : field(entry, 'content');
  if (content !== undefined && content.kind !== 'string' && content.kind !== 'binary') {
    diagnostics.error(
      'UserDataInvalid',
      `The content of ${what} must be text, not ${describe(content)}.`,
      item.where,
    );
    return undefined;
  }
  const where = content?.where ?? item.where;
  const placed = (one: string) => plainText(one, 0, `counted in ${what}, which is in line ${where.line}`);
  const text = contentText(content, what, placed, diagnostics);
  if (text === undefined) return undefined;
  budget.left -= text.length;
  if (budget.left < 0) {
    diagnostics.error(
      'UserDataTooLarge',
      `The archive holds more than ${MAX_DECODED_BYTES} characters.`,
      item.where,
    );
    return undefined;
  }
  const given = (name: string): string | undefined => {
    const node = entry === undefined ? undefined : field(entry, name);
    return node === undefined || node.kind === 'null' ? undefined : pythonText(node);
  };
  const merging = given('merge-type') ?? given('x-merge-type');
  const launchIndex = given('launch-index');
  return {
    type: (given('type') || undefined)?.toLowerCase() ?? typeOf(text) ?? DEFAULT_TYPE,
    source: placed(text),
    name: given('filename') ?? `part-${String(number).padStart(3, '0')}`,
    ...(merging === undefined ? {} : { mergeType: { text: merging, where: item.where } }),
    ...(launchIndex === undefined ? {} : { launchIndex }),
  };
}

function contentText(
  content: YamlNode | undefined,
  what: string,
  placed: (text: string) => SourceText,
  diagnostics: Diagnostics,
): string | undefined {
  if (content?.kind === 'string') return content.value;
  if (content?.kind !== 'binary') return '';
  const bytes = Buffer.from(content.value);
  if (!isGzip(bytes)) return toText(bytes, what, diagnostics, { placed });
  diagnostics.error(
    'UserDataUndecodable',
    `The content of ${what} is compressed, which nobody undoes there.`,
    content.where,
  );
  return undefined;
}

/** Headers are the same in any case. */
function field({ entries }: MappingNode, name: string): YamlNode | undefined {
  return entries.find(({ key }) => pythonText(key)?.toLowerCase() === name)?.value;
}
