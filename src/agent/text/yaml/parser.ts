import { type NodeMaker, type Properties, TagHandles } from './node-maker.ts';
import { YamlSyntaxError } from './scan/syntax-error.ts';
import type { Token } from './scan/tokens.ts';

type Kind = Token['kind'];

const NO_PROPERTIES: Properties = {};

/** One of several documents: its node, undefined where there is none, and the part of the text between its marks. */
export interface Part<B> {
  built: B | undefined;
  from: number;
  to: number;
}

/**
 * Assembles the tokens into documents and gives every node to the builder. It follows the grammar of PyYAML's
 * parser, which is that of libyaml, too.
 *
 * @throws YamlSyntaxError its own, or the one of a `broken` token
 */
export class Parser<B> {
  readonly #tokens: readonly Token[];
  readonly #builder: NodeMaker<B>;
  #index = 0;
  #current: Token | undefined;
  #handles = new TagHandles([]);

  constructor(tokens: readonly Token[], builder: NodeMaker<B>) {
    this.#tokens = tokens;
    this.#builder = builder;
  }

  /** The only document; undefined if the text holds none. */
  document(): B | undefined {
    if (this.#is('end')) return undefined;
    if (!this.#isOneOf('directive', 'document-start')) {
      const built = this.#block();
      this.#endOfDocument();
      return built;
    }
    this.#documentStart();
    const built = this.#isAtMark() ? this.#builder.empty({}, this.#at) : this.#block();
    this.#endOfDocument();
    return built;
  }

  /**
   * All documents. `begin` is told of each, for an anchor counts in its document alone. What stands between the end of one (`...`)
   * and the next `---` is passed over, as kubeadm does.
   */
  documents(begin: () => void): Part<B>[] {
    const parts: Part<B>[] = [];
    for (;;) {
      if (this.#is('document-end')) while (!this.#isOneOf('document-start', 'end')) this.#forward();
      if (this.#is('end')) return parts;
      begin();
      let from = 0;
      if (parts.length > 0 || this.#isOneOf('directive', 'document-start')) from = this.#documentStart();
      const built = this.#isAtMark() ? undefined : this.#block();
      if (!this.#isAtMark()) throw textAfterEnd(this.#at);
      parts.push({ built, from, to: this.#at });
    }
  }

  #isAtMark(): boolean {
    return this.#isOneOf('directive', 'document-start', 'document-end', 'end');
  }

  /** @returns where the document begins, behind its mark */
  #documentStart(): number {
    const directives: Token[] = [];
    while (this.#is('directive')) directives.push(this.#take());
    this.#handles = new TagHandles(directives);
    const { at } = this.#token;
    if (this.#skip('document-start')) return at + '---'.length;
    throw new YamlSyntaxError('The % directives must be followed by a line with ---.', at);
  }

  #endOfDocument(): void {
    const marked = this.#skip('document-end');
    while (marked && this.#skip('document-end'));
    if (this.#is('end')) return;
    if (this.#isOneOf('directive', 'document-start')) {
      throw new YamlSyntaxError(
        'A second YAML document begins here; cloud-config is a single document.',
        this.#at,
      );
    }
    throw textAfterEnd(this.#at);
  }

  get #token(): Token {
    return this.#current ?? this.#look();
  }

  /** Only when it is asked for: an error of the text counts behind those that the tokens before it make. */
  #look(): Token {
    const token = this.#tokens[this.#index];
    if (token === undefined) throw new YamlSyntaxError('The YAML ends too early.', 0);
    if (token.kind === 'broken') throw token.error;
    this.#current = token;
    return token;
  }

  get #at(): number {
    return this.#token.at;
  }

  #is(kind: Kind): boolean {
    return this.#token.kind === kind;
  }

  #isOneOf(...kinds: Kind[]): boolean {
    return kinds.includes(this.#token.kind);
  }

  #forward(): void {
    this.#index += 1;
    this.#current = undefined;
  }

  #take(): Token {
    const token = this.#token;
    this.#forward();
    return token;
  }

  #skip(kind: Kind): boolean {
    if (!this.#is(kind)) return false;
    this.#forward();
    return true;
  }

  #block(): B {
    return this.#node(true, false);
  }

  /** A mapping's key or value. If it is a list, its items may stand as far left as the key. */
  #blockOrIndentless(): B {
    return this.#node(true, true);
  }

  #flow(): B {
    return this.#node(false, false);
  }

  #node(block: boolean, indentless: boolean): B {
    const token = this.#token;
    const { kind, at } = token;
    if (kind === 'alias') {
      this.#forward();
      return this.#builder.alias(token.name, at);
    }
    if (kind !== 'anchor' && kind !== 'tag') return this.#content(NO_PROPERTIES, at, block, indentless);
    const properties = this.#properties();
    return this.#builder.node(properties, () => this.#content(properties, at, block, indentless));
  }

  #properties(): Properties {
    const properties: Properties = {};
    for (let count = 0; count < 2; count += 1) {
      const token = this.#token;
      if (token.kind === 'anchor' && properties.anchor === undefined) properties.anchor = token;
      else if (token.kind === 'tag' && properties.tag === undefined)
        properties.tag = this.#handles.resolve(token);
      else break;
      this.#take();
    }
    return properties;
  }

  #content(properties: Properties, at: number, block: boolean, indentless: boolean): B {
    const token = this.#token;
    if (indentless && token.kind === 'block-entry') return this.#indentless(properties, at);
    switch (token.kind) {
      case 'scalar':
        this.#take();
        if (token.half) this.#builder.half(at);
        return this.#builder.scalar(properties, token.text, token.plain, at, token.literal);
      case 'flow-sequence-start':
        return this.#flowSequence(properties, at);
      case 'flow-mapping-start':
        return this.#flowMapping(properties, at);
      case 'block-sequence-start':
        if (block) return this.#blockSequence(properties, at);
        break;
      case 'block-mapping-start':
        if (block) return this.#blockMapping(properties, at);
        break;
    }
    if (properties.anchor !== undefined || properties.tag !== undefined)
      return this.#builder.empty(properties, at);
    throw new YamlSyntaxError(unexpected(token, block), token.at);
  }

  #blockSequence(properties: Properties, at: number): B {
    const sequence = this.#builder.sequence(properties, at);
    this.#take();
    while (this.#is('block-entry')) {
      const entry = this.#take();
      sequence.add(
        this.#isOneOf('block-entry', 'block-end') ? this.#builder.empty({}, entry.at) : this.#block(),
      );
    }
    this.#blockEnd('list');
    return sequence.done();
  }

  /** A list whose dashes stand as far left as the key of the surrounding mapping. */
  #indentless(properties: Properties, at: number): B {
    const sequence = this.#builder.sequence(properties, at);
    while (this.#is('block-entry')) {
      const entry = this.#take();
      const empty = this.#isOneOf('block-entry', 'key', 'value', 'block-end');
      sequence.add(empty ? this.#builder.empty({}, entry.at) : this.#block());
    }
    return sequence.done();
  }

  #blockMapping(properties: Properties, at: number): B {
    const mapping = this.#builder.mapping(properties, at);
    this.#take();
    while (this.#is('key')) {
      const key = this.#blockPart('key');
      mapping.add(key, this.#blockPart('value'));
    }
    this.#blockEnd('mapping');
    return mapping.done();
  }

  /** The node after a key's or a value's sign; an empty one if the sign or the node is missing. */
  #blockPart(kind: 'key' | 'value'): B {
    const at = this.#at;
    const present = this.#skip(kind) && !this.#isOneOf('key', 'value', 'block-end');
    return present ? this.#blockOrIndentless() : this.#builder.empty({}, at);
  }

  #blockEnd(what: string): void {
    if (this.#skip('block-end')) return;
    throw new YamlSyntaxError(
      `The ${what} cannot continue like this; the indentation does not fit the lines above, or a colon, quote or dash is missing.`,
      this.#at,
    );
  }

  #flowSequence(properties: Properties, at: number): B {
    const sequence = this.#builder.sequence(properties, at);
    this.#take();
    for (let first = true; !this.#is('flow-sequence-end'); first = false) {
      if (!first) this.#comma(']');
      if (this.#is('key')) sequence.add(this.#pairInSequence());
      else if (!this.#is('flow-sequence-end')) sequence.add(this.#flow());
      else break;
    }
    this.#take();
    return sequence.done();
  }

  /** `[a: 1]` is a list that holds a mapping. */
  #pairInSequence(): B {
    const at = this.#at;
    const mapping = this.#builder.mapping({}, at);
    const key = this.#flowPart('key', 'value', 'flow-entry', 'flow-sequence-end');
    mapping.add(key, this.#flowPart('value', 'flow-entry', 'flow-sequence-end'));
    return mapping.done();
  }

  #flowPart(kind: 'key' | 'value', ...ends: Kind[]): B {
    const at = this.#at;
    const present = this.#skip(kind) && !this.#isOneOf(...ends);
    return present ? this.#flow() : this.#builder.empty({}, at);
  }

  #flowMapping(properties: Properties, at: number): B {
    const mapping = this.#builder.mapping(properties, at);
    this.#take();
    for (let first = true; !this.#is('flow-mapping-end'); first = false) {
      if (!first) this.#comma('}');
      if (this.#is('key')) {
        const key = this.#flowPart('key', 'value', 'flow-entry', 'flow-mapping-end');
        mapping.add(key, this.#flowPart('value', 'flow-entry', 'flow-mapping-end'));
      } else if (!this.#is('flow-mapping-end')) {
        mapping.add(this.#flow(), this.#builder.empty({}, this.#at));
      } else {
        break;
      }
    }
    this.#take();
    return mapping.done();
  }

  #comma(bracket: string): void {
    if (this.#skip('flow-entry')) return;
    const message = this.#is('end')
      ? `A bracket is not closed; ${bracket} is missing.`
      : `A comma or the closing ${bracket} is missing before this.`;
    throw new YamlSyntaxError(message, this.#at);
  }
}

function textAfterEnd(at: number): YamlSyntaxError {
  return new YamlSyntaxError(
    'There is text after the end of the YAML; its indentation or a bracket does not fit the lines above.',
    at,
  );
}

function unexpected(token: Token, block: boolean): string {
  if (token.kind === 'end')
    return 'The YAML ends in the middle of a value; a quote or bracket is not closed.';
  if (token.kind === 'block-entry' || token.kind === 'block-sequence-start')
    return 'A list with "- " cannot begin here.';
  if (token.kind === 'value') return 'A ":" is where a value must begin.';
  if (token.kind === 'flow-entry')
    return 'A comma is where a value must begin; a value that begins with a comma must be quoted.';
  return block ? 'A value is expected here.' : 'A value is expected here, inside [ ] or { }.';
}
