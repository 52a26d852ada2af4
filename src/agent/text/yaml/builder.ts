import type { Position } from '../../document/document.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { MAX_YAML_EXPANDED_CHARS, MAX_YAML_EXPANDED_NODES } from '../limits.ts';
import type { SourceText } from '../source-text.ts';
import { Entries, expandMerges, type RawEntry } from './mapping.ts';
import type { Filling, NodeMaker, Properties } from './node-maker.ts';
import { resolvePlain, resolveTagged, ScalarError, type ScalarValue } from './scalars.ts';
import { YamlSyntaxError, YamlTooLarge } from './scan/syntax-error.ts';
import type { Literal } from './scan/tokens.ts';
import type { ScalarNode, YamlNode } from './yaml-node.ts';

/** A node and its size after every alias is replaced; the size is only counted, the copy is never made. */
export interface Built {
  node: YamlNode;
  nodes: number;
  chars: number;
  /** The plain text `<<` or `=`, which has a meaning as a key and none as a value. */
  special?: '<<' | '=';
}

/**
 * Makes nodes by PyYAML's rules. An alias is the very node of its anchor and not a copy. The builder counts
 * what a consumer would see against a limit, so that nested aliases ("billion laughs") cannot blow up.
 */
export class Builder implements NodeMaker<Built> {
  readonly #source: SourceText;
  readonly #diagnostics: Diagnostics;
  readonly #anchors = new Map<string, Built | 'open'>();

  constructor(source: SourceText, diagnostics: Diagnostics) {
    this.#source = source;
    this.#diagnostics = diagnostics;
  }

  /** Makes a node and stores it under its anchor. */
  node({ anchor }: Properties, make: () => Built): Built {
    if (anchor === undefined) return make();
    if (this.#anchors.has(anchor.name))
      throw new YamlSyntaxError('An anchor (&name) with this name already exists.', anchor.at);
    this.#anchors.set(anchor.name, 'open');
    const built = make();
    this.#anchors.set(anchor.name, built);
    return built;
  }

  alias(name: string, at: number): Built {
    const target = this.#anchors.get(name);
    if (target === undefined)
      throw new YamlSyntaxError(
        'No anchor (&name) precedes this alias (*name); a value that begins with * must be quoted.',
        at,
      );
    if (target === 'open')
      throw new YamlSyntaxError('The alias (*name) is inside the value it refers to.', at);
    return target;
  }

  scalar({ tag }: Properties, text: string, plain: boolean, at: number, literal?: Literal): Built {
    const where = this.#source.locate(at);
    const built = { nodes: 1, chars: text.length };
    // Between quotes, or a block of text.
    if (tag === undefined && !plain) {
      const textAt = literal && this.#textAt(literal);
      return { node: { kind: 'string', value: text, where, ...(textAt ? { textAt } : {}) }, ...built };
    }
    const untagged = tag === undefined || tag === '!';
    const value = this.#value(text, untagged ? undefined : tag, where);
    const node = { ...value, where } as ScalarNode;
    return untagged && (text === '<<' || text === '=')
      ? { node, ...built, special: text }
      : { node, ...built };
  }

  /** Where the first line of a block begins; undefined where its lines are not those of the source, as a template may make them. */
  #textAt({ from, to, indent }: Literal): Position | undefined {
    const [first, end] = [this.#source.locate(from), this.#source.locate(to)];
    const lines = this.#source.text.slice(from, to).split('\n').length - 1;
    return end.line - first.line === lines ? { ...first, column: indent + 1 } : undefined;
  }

  /** Python keeps the halves of a character that JSON has in UTF-16, and can write them nowhere. */
  half(at: number): void {
    const message =
      'This escape is half of a surrogate pair, which cloud-init cannot write; use the character itself or its \\U escape.';
    this.#diagnostics.warn('UserDataInvalid', message, this.#source.locate(at));
  }

  /** The node for a place where nothing is written. */
  empty({ tag }: Properties, at: number): Built {
    const where = this.#source.locate(at);
    const value =
      tag === undefined || tag === '!' ? ({ kind: 'null' } as const) : this.#value('', tag, where);
    return { node: { ...value, where } as ScalarNode, nodes: 1, chars: 0 };
  }

  #value(text: string, tag: string | undefined, where: Position): ScalarValue {
    try {
      return tag === undefined ? resolvePlain(text) : resolveTagged(text, tag);
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      this.#diagnostics.error('UserDataSyntax', error.message, where);
      return { kind: 'null' };
    }
  }

  sequence({ tag }: Properties, at: number): Filling<[item: Built], Built> {
    const where = this.#source.locate(at);
    this.#checkTag(tag, 'seq', where);
    const size = { nodes: 1, chars: 0 };
    const items: YamlNode[] = [];
    return {
      add: (item) => {
        this.#count(size, item, at);
        items.push(this.ordinary(item));
      },
      done: () => ({ node: { kind: 'sequence', items, where }, ...size }),
    };
  }

  mapping({ tag }: Properties, at: number): Filling<[key: Built, value: Built], Built> {
    const where = this.#source.locate(at);
    this.#checkTag(tag, 'map', where);
    const size = { nodes: 1, chars: 0 };
    const raw: RawEntry[] = [];
    return {
      add: (key, value) => {
        this.#count(size, key, at);
        this.#count(size, value, at);
        raw.push({ key: key.node, value: this.ordinary(value), merge: key.special === '<<' });
      },
      done: () => {
        const entries = new Entries(this.#diagnostics);
        for (const entry of expandMerges(raw, this.#diagnostics)) entries.set(entry);
        const merged = raw.some((entry) => entry.merge) ? entries.list().length : 0;
        this.#count(size, { nodes: merged, chars: 0 }, at);
        return { node: { kind: 'mapping', entries: entries.list(), where }, ...size };
      },
    };
  }

  /** The node of a value. PyYAML cannot make a value of `<<` or `=`. */
  ordinary({ node, special }: Built): YamlNode {
    if (special !== undefined)
      this.#diagnostics.error(
        'UserDataSyntax',
        `A plain ${special} is not a value in YAML 1.1; put it in quotes.`,
        node.where,
      );
    return node;
  }

  #checkTag(tag: string | undefined, allowed: string, where: Position): void {
    if (tag === undefined || tag === '!' || tag === `tag:yaml.org,2002:${allowed}`) return;
    this.#diagnostics.error(
      'UserDataSyntax',
      'The tag of this list or mapping has no meaning in cloud-config; remove it.',
      where,
    );
  }

  #count(size: { nodes: number; chars: number }, part: { nodes: number; chars: number }, at: number): void {
    size.nodes += part.nodes;
    size.chars += part.chars;
    if (size.nodes > MAX_YAML_EXPANDED_NODES || size.chars > MAX_YAML_EXPANDED_CHARS) {
      throw new YamlTooLarge(
        'With every alias (*name) replaced by its value, the YAML is larger than Slipway accepts.',
        at,
      );
    }
  }
}
