/** A regular expression of JavaScript as a tree, to be walked and counted rather than run. */
export type Node =
  | { kind: 'sequence' | 'choice'; items: Node[] }
  | { kind: 'group'; body: Node; index: number | undefined; name: string | undefined }
  | { kind: 'look'; body: Node; behind: boolean; negative: boolean }
  | { kind: 'repeat'; body: Node; min: number; max: number; lazy: boolean }
  /** One character out of a class, an escape, a dot or a literal. */
  | { kind: 'set'; test: RegExp; source: string }
  | { kind: 'edge'; sign: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'back'; to: number | string };

/** Reads what `RegExp` has accepted already. @throws Error for a sign that it does not know */
export function parseExpression({ source, flags }: RegExp): Node {
  return new Reader(source, flags.replace(/[gyd]/g, '')).whole();
}

class Reader {
  readonly #text: string;
  readonly #flags: string;
  #at = 0;
  #groups = 0;

  constructor(text: string, flags: string) {
    this.#text = text;
    this.#flags = flags;
  }

  whole(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new Error(`stopped at ${this.#at} of /${this.#text}/`);
    return node;
  }

  #choice(): Node {
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    return items.length === 1 ? (items[0] as Node) : { kind: 'choice', items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      items.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', items };
  }

  #repeated(body: Node): Node {
    const sign = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.#text.slice(this.#at));
    if (sign === null) return body;
    this.#at += sign[0].length;
    const [, low = '0', comma, high = ''] = sign;
    const most = high === '' ? Number.POSITIVE_INFINITY : Number(high);
    const [min, max] =
      sign[0] === '*'
        ? [0, Number.POSITIVE_INFINITY]
        : sign[0] === '+'
          ? [1, Number.POSITIVE_INFINITY]
          : sign[0] === '?'
            ? [0, 1]
            : [Number(low), comma === '' ? Number(low) : most];
    return { kind: 'repeat', body, min, max, lazy: this.#take('?') };
  }

  #atom(): Node {
    if (this.#take('(')) return this.#group();
    const [source = ''] =
      /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pPk](?:\{[^}]*\}|<[^>]*>)|[1-9]\d*|.)|.)/su.exec(
        this.#text.slice(this.#at),
      ) ?? [];
    this.#at += source.length;
    if (source === '^' || source === '$' || source === '\\b' || source === '\\B')
      return { kind: 'edge', sign: source };
    const back = /^\\(?:k<(.+)>|([1-9]\d*))$/.exec(source);
    if (back) return { kind: 'back', to: back[1] ?? Number(back[2]) };
    return { kind: 'set', source, test: new RegExp(`^(?:${source})$`, this.#flags.replace('m', '')) };
  }

  #group(): Node {
    const [sign = ''] = /^\?(?::|<?[=!]|<[^>]+>)/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += sign.length;
    const isLook = /^\?<?[=!]$/.test(sign);
    const isOpen = sign === '?:';
    if (!isLook && !isOpen) this.#groups += 1;
    const index = isOpen ? undefined : this.#groups;
    const body = this.#choice();
    if (!this.#take(')')) throw new Error(`a group without end in /${this.#text}/`);
    if (isLook) return { kind: 'look', body, behind: sign.includes('<'), negative: sign.endsWith('!') };
    return { kind: 'group', body, index, name: isOpen ? undefined : sign.slice(2, -1) || undefined };
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }
}
