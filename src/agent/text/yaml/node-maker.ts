import { YamlSyntaxError } from './scan/syntax-error.ts';
import type { Literal, Token } from './scan/tokens.ts';

/** Anchor and tag in front of a node. */
export interface Properties {
  anchor?: Token & { kind: 'anchor' };
  /** The tag's full name. */
  tag?: string;
}

/** A collection that is being filled. */
export interface Filling<A extends unknown[], B> {
  add(...parts: A): void;
  done(): B;
}

/** Makes nodes of what the parser finds, each at the offset `at` of the text; what a node is, is its own affair. */
export interface NodeMaker<B> {
  /** Makes a node and stores it under its anchor. */
  node(properties: Properties, make: () => B): B;
  alias(name: string, at: number): B;
  scalar(properties: Properties, text: string, plain: boolean, at: number, literal?: Literal): B;
  /** An escape in the text at this place stands for half a character. */
  half(at: number): void;
  /** The node for a place where nothing is written. */
  empty(properties: Properties, at: number): B;
  sequence(properties: Properties, at: number): Filling<[item: B], B>;
  mapping(properties: Properties, at: number): Filling<[key: B, value: B], B>;
}

const DEFAULT_HANDLES: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
];

/** The tag handles of one document, with what its `%TAG` directives define. */
export class TagHandles {
  readonly #prefixes: Map<string, string>;

  /** @throws YamlSyntaxError for contradictory directives and for YAML 2 */
  constructor(directives: readonly Token[]) {
    const own = new Map<string, string>();
    let versions = 0;
    for (const token of directives) {
      if (token.kind !== 'directive') continue;
      const [first = '', second = ''] = token.value;
      if (token.name === 'YAML') versions += 1;
      if (token.name === 'YAML' && (versions > 1 || first !== '1')) {
        throw new YamlSyntaxError('The document must be YAML 1, with at most one %YAML directive.', token.at);
      }
      if (token.name === 'TAG' && own.has(first))
        throw new YamlSyntaxError('The tag handle is defined twice.', token.at);
      if (token.name === 'TAG') own.set(first, second);
    }
    this.#prefixes = new Map([...DEFAULT_HANDLES, ...own]);
  }

  /** The full name of a tag. */
  resolve(tag: Token & { kind: 'tag' }): string {
    if (tag.handle === undefined) return tag.suffix;
    const prefix = this.#prefixes.get(tag.handle);
    if (prefix === undefined) throw new YamlSyntaxError('The tag uses a handle that is not defined.', tag.at);
    return prefix + tag.suffix;
  }
}
