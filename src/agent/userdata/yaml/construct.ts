import { isAlias, isMap, isPair, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Position } from '../../../protocol/document.ts';
import { MAX_YAML_EXPANDED_CHARS, MAX_YAML_EXPANDED_NODES } from '../limits.ts';
import type { Report } from '../report.ts';
import type { SourceText } from '../text/source-text.ts';
import { Entries, expandMerges, type RawEntry } from './mapping.ts';
import type { Node, ScalarNode } from './node.ts';
import { ScalarError } from './scalar-error.ts';
import { resolvePlain, resolveTagged, type ScalarValue } from './scalars.ts';

/** What a node stands for when every alias in it is replaced: counted, never built. */
interface Size {
  nodes: number;
  chars: number;
}

interface Built {
  node: Node;
  size: Size;
}

/** Thrown to give up; the reason is in the report already. */
class Abandoned extends Error {}

/**
 * Turns the library's tree into nodes by PyYAML's rules. An alias gives the very node of its anchor (nothing is copied);
 * how much a consumer would see is counted against a limit, so that nested aliases cannot blow up.
 * Returns undefined after an error, which is then in `report`.
 */
export function construct(contents: unknown, source: SourceText, report: Report): Node | undefined {
  const errors = report.entries.length;
  try {
    const { node } = new Constructor(source, report).build(contents);
    return report.entries.slice(errors).some((entry) => entry.severity === 'error') ? undefined : node;
  } catch (error) {
    if (error instanceof Abandoned) return undefined;
    throw error;
  }
}

class Constructor {
  readonly #source: SourceText;
  readonly #report: Report;
  readonly #anchors = new Map<string, Built | 'open'>();

  constructor(source: SourceText, report: Report) {
    this.#source = source;
    this.#report = report;
  }

  build(value: unknown): Built {
    if (isAlias(value)) return this.#alias(value.source, this.#place(value));
    const anchor = isScalar(value) || isMap(value) || isSeq(value) ? value.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const built = this.#unanchored(value);
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    return built;
  }

  #unanchored(value: unknown): Built {
    if (isScalar(value)) return this.#scalar(value);
    if (isSeq(value)) return this.#sequence(value);
    if (isMap(value)) return this.#mapping(value);
    return { node: { kind: 'null', where: this.#source.locate(0) }, size: { nodes: 1, chars: 0 } };
  }

  #scalar(value: Scalar): Built {
    const where = this.#place(value);
    const text = value.source ?? '';
    return {
      node: { ...this.#value(value, text, where), where } as ScalarNode,
      size: { nodes: 1, chars: text.length },
    };
  }

  #value(value: Scalar, text: string, where: Position): ScalarValue {
    try {
      if (value.tag !== undefined) return resolveTagged(text, value.tag);
      const plain = value.type === undefined || value.type === 'PLAIN';
      return plain ? resolvePlain(text) : { kind: 'string', value: text };
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      this.#report.error('UserDataSyntax', error.message, where);
      return { kind: 'null' };
    }
  }

  #sequence(value: YAMLSeq): Built {
    const where = this.#place(value);
    this.#collectionTag(value.tag, ['seq'], where);
    const size = { nodes: 1, chars: 0 };
    const items = value.items.map((item) => {
      // A pair inside [ ] is a mapping of its own: [a: 1] is [{a: 1}].
      if (isPair(item)) return this.#add(size, this.#pairs([item], where, size));
      return this.#add(size, this.build(item));
    });
    this.#check(size, where);
    return { node: { kind: 'sequence', items, where }, size };
  }

  #mapping(value: YAMLMap): Built {
    const where = this.#place(value);
    this.#collectionTag(value.tag, ['map'], where);
    const size = { nodes: 1, chars: 0 };
    const built = this.#pairs(value.items, where, size);
    this.#check(size, where);
    return { node: built.node, size };
  }

  #pairs(items: readonly { key: unknown; value: unknown }[], where: Position, size: Size): Built {
    const raw: RawEntry[] = [];
    for (const pair of items) {
      const key = pair.key === null ? this.#absent(where) : this.#add(size, this.build(pair.key));
      const value = pair.value === null ? this.#absent(key.where) : this.#add(size, this.build(pair.value));
      const merge =
        isScalar(pair.key) && pair.key.source === '<<' && pair.key.type === 'PLAIN' && !pair.key.tag;
      raw.push({ key, value, merge });
    }
    const entries = new Entries(this.#report);
    for (const entry of expandMerges(raw, this.#report)) entries.set(entry);
    return { node: { kind: 'mapping', entries: entries.list(), where }, size: { nodes: 0, chars: 0 } };
  }

  #absent(where: Position): Node {
    return { kind: 'null', where };
  }

  #alias(name: string, where: Position): Built {
    const target = this.#anchors.get(name);
    if (target === undefined || target === 'open') {
      const message =
        target === 'open'
          ? 'An alias (*name) stands inside what it refers to.'
          : 'No anchor (&name) before this alias (*name).';
      this.#report.error('UserDataSyntax', message, where);
      throw new Abandoned();
    }
    return target;
  }

  #collectionTag(tag: string | undefined, allowed: readonly string[], where: Position): void {
    if (tag === undefined || tag === '!' || allowed.some((name) => tag === `tag:yaml.org,2002:${name}`))
      return;
    this.#report.error(
      'UserDataSyntax',
      'The tag of this list or mapping has no meaning in cloud-config; remove it.',
      where,
    );
  }

  #add(size: Size, built: Built): Node {
    size.nodes += built.size.nodes;
    size.chars += built.size.chars;
    return built.node;
  }

  #check(size: Size, where: Position): void {
    if (size.nodes <= MAX_YAML_EXPANDED_NODES && size.chars <= MAX_YAML_EXPANDED_CHARS) return;
    this.#report.error(
      'UserDataTooLarge',
      'The aliases (*name) in the YAML stand for more data than is accepted.',
      where,
    );
    throw new Abandoned();
  }

  #place(value: { range?: readonly number[] | null | undefined }): Position {
    return this.#source.locate(value.range?.[0] ?? 0);
  }
}
