import { isGzip } from '../../../kit/bytes/gunzip.ts';
import { Diagnostics, printable } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../text/limits.ts';
import { plainText, type SourceText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { describe, type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { decodeUserData } from '../decode/decode.ts';
import { type Part, typeOf } from '../decode/part.ts';
import { toText } from '../decode/text.ts';
import { displayAddress, fetchInclude, type IncludeSource, invalidAddress } from './fetch-include.ts';
import { ARCHIVE_TYPE, INCLUDE_TYPES, type IncludeLine, includeLines } from './include-lines.ts';
import { MAX_INCLUDE_DEPTH, MAX_INCLUDES, MAX_PARTS } from './limits.ts';

/**
 * Puts in the place of includes and archives the parts that they stand for, and numbers those without a name as cloud-init
 * does. Errors go to `diagnostics`, at the line of the user data that asked for what is wrong.
 *
 * @returns undefined if `diagnostics` got an error
 * @throws IncludeUnavailable
 */
export async function expandParts(
  parts: readonly Part[],
  library: IncludeSource,
  diagnostics: Diagnostics,
): Promise<Part[] | undefined> {
  const expansion = new Expansion(library, diagnostics);
  const all = await expansion.all(parts, []);
  return all?.map((part, index) =>
    /^part-\d{3}$/.test(part.name) ? { ...part, name: `part-${String(index + 1).padStart(3, '0')}` } : part,
  );
}

class Expansion {
  readonly #library: IncludeSource;
  /** What is wrong with the others is told, but no server is asked for their sake. */
  #hasWrong = false;
  readonly #diagnostics: Diagnostics;
  #includes = 0;
  #parts = 0;
  #bytes = MAX_DECODED_BYTES;

  constructor(library: IncludeSource, diagnostics: Diagnostics) {
    this.#library = library;
    this.#diagnostics = diagnostics;
  }

  /** @param chain The addresses that led here, the outermost first. */
  async all(parts: readonly Part[], chain: readonly string[]): Promise<Part[] | undefined> {
    const found: Part[] = [];
    let isBad = false;
    for (const part of parts) {
      const inner = await this.#one(part, chain);
      if (inner === undefined) isBad = true;
      else found.push(...inner);
    }
    return isBad && !this.#library.isOffline ? undefined : found;
  }

  async #one(part: Part, chain: readonly string[]): Promise<Part[] | undefined> {
    const own = this.#diagnostics.of(part.source);
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) return this.#tooMuch(`more than ${MAX_PARTS} parts`, own);
    // An archive's own entries are taken as they are: cloud-init looks into none of them.
    if (part.type === ARCHIVE_TYPE) return readArchive(part, own);
    if (!INCLUDE_TYPES.includes(part.type)) return [part];
    const lines = includeLines(part.source);
    if (lines.some(({ address }) => invalidAddress(address) !== undefined)) this.#hasWrong = true;
    const found: Part[] = [];
    let isBad = false;
    for (const line of lines) {
      const inner = await this.#include(line, chain, own);
      if (inner === undefined) isBad = true;
      else found.push(...inner);
    }
    if (lines.length === 0)
      own.warn('UserDataIgnoredKey', 'The include contains no URL.', part.source.locate(0));
    return isBad && !this.#library.isOffline ? undefined : found;
  }

  async #include(
    { address, isOnce, where }: IncludeLine,
    chain: readonly string[],
    diagnostics: Diagnostics,
  ): Promise<Part[] | undefined> {
    const refuse = (message: string): undefined => {
      diagnostics.error('UserDataInvalid', message, where);
      this.#hasWrong = true;
    };
    this.#includes += 1;
    if (chain.includes(address)) return refuse(`${displayAddress(address)} includes itself.`);
    if (this.#includes > MAX_INCLUDES || chain.length >= MAX_INCLUDE_DEPTH)
      return refuse(
        `The user data includes more than ${MAX_INCLUDES} addresses, or more than ${MAX_INCLUDE_DEPTH} one in the other.`,
      );
    if (this.#library.isOffline && /^https?:[^#]*(?:#(?!sha)|$)/i.test(address))
      diagnostics.warn(
        'UserDataInvalid',
        `${displayAddress(address)} is included without a digest (#sha256-SUM): the server that answers decides what the machine does.`,
        where,
      );
    if (this.#hasWrong && !this.#library.isOffline && isAskedFor(address)) return [];
    const answer = await fetchInclude(this.#library, address, isOnce);
    if ('problem' in answer)
      return refuse(`Cannot include ${displayAddress(address)}: it ${answer.problem}.`);
    this.#bytes -= answer.bytes.length;
    if (this.#bytes < 0) return this.#tooMuch(`more than ${MAX_DECODED_BYTES} bytes`, diagnostics);
    const name = printable(displayAddress(address));
    const parts = decodeUserData(answer.bytes, new Diagnostics(diagnostics.entries, '', name), name);
    return (
      parts &&
      this.all(
        parts.map((part) => from(part, name)),
        [...chain, address],
      )
    );
  }

  #tooMuch(what: string, diagnostics: Diagnostics): undefined {
    diagnostics.error('UserDataTooLarge', `The user data and its includes contain ${what}.`);
  }
}

const isAskedFor = (address: string): boolean =>
  /^https?:/i.test(address) && invalidAddress(address) === undefined;

/** Its positions count in the included text, and messages say so. */
function from(part: Part, name: string): Part {
  return { ...part, source: { ...part.source, within: name } };
}

const DEFAULT_TYPE = 'text/cloud-config';

/**
 * The parts of a `#cloud-config-archive`: a YAML list of texts, or of mappings with `content` and perhaps `type`,
 * `filename`, `launch-index` and `Merge-Type`. A text without a known first line is a cloud-config.
 *
 * @returns undefined if `diagnostics` got an error
 */
function readArchive(part: Part, diagnostics: Diagnostics): Part[] | undefined {
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
      `The archive contains more than ${MAX_DECODED_BYTES} characters.`,
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
    `The content of ${what} is compressed, which is not supported there.`,
    content.where,
  );
  return undefined;
}

/** Headers are the same in any case. */
function field({ entries }: MappingNode, name: string): YamlNode | undefined {
  return entries.find(({ key }) => pythonText(key)?.toLowerCase() === name)?.value;
}
