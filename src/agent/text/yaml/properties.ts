import { YamlSyntaxError } from './scan/syntax-error.ts';
import type { Token } from './scan/tokens.ts';

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
        throw new YamlSyntaxError('The document must be YAML 1, and say so at most once.', token.at);
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
