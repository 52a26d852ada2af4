/**
 * Is this command whole by itself, so that every shell can read it whatever stands around it? Told for what most commands are:
 * words, quotes, variables, redirections and lists of these, also in a `for`. No shell is started to read such ones, which takes
 * longer than all their checks; of anything else nothing is known.
 */
export function isWhole(text: string): boolean {
  const tokens = text.length > MOST_LETTERS ? undefined : tokensOf(text);
  return tokens !== undefined && new Reader(tokens).readsAll();
}

/** An operator, a redirection, or a word; what a shell reads otherwise in some place is none of them. */
const TOKEN =
  /[ \t]*(?:(&&|\|\||[;|\n])|(?:\d?(>)>?|(<))(?=[ \t]*[^\s;|&<>])|(\d?>&\d(?=[\s;]|$))|((?:[\w./:,@%+=~*?^-]|\$\w+\b|\$\{\w+\}|\$[?#@*$]|'[^']*'|"(?:[^"`$\\]|\$\w+\b|\$\{\w+\})*")+))/y;

/** To where another number goes: a redirection without a word. */
const SAME = '>&';

/** As people write them; a shell is asked about longer ones, and deeper ones. */
const MOST_LETTERS = 8 * 1024;
const MOST_LOOPS = 10;

/** Words that begin or end something else where a command could begin. */
const RESERVED = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'do', 'done', 'case', 'esac', 'in'],
  ...['select', 'function', 'time', 'coproc', 'for'],
]);

/** A redirection is a token before its word. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  // Of other blanks a shell makes words.
  const whole = text.replace(/[ \t\n]+$/, '');
  let wantsWord = false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < whole.length) {
    const [, operator, out, into, same, word] = TOKEN.exec(whole) ?? [];
    if (TOKEN.lastIndex === 0 || (wantsWord && word === undefined)) return undefined;
    // A number before a redirection is a part of it.
    if (word !== undefined && /^\d+$/.test(word) && /[<>]/.test(whole[TOKEN.lastIndex] ?? ''))
      return undefined;
    wantsWord = (out ?? into) !== undefined;
    const token = operator ?? out ?? into ?? (same === undefined ? word : SAME);
    // An operator goes on in the next line, and lines may be empty.
    const isMore = token === '\n' && (tokens.length === 0 || isOperator(tokens.at(-1) ?? ''));
    if (token !== undefined && !isMore) tokens.push(token);
  }
  return wantsWord ? undefined : tokens;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;
  #loops = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  readsAll(): boolean {
    return this.#list() && this.#at === this.#tokens.length;
  }

  /** Commands up to the end or to `done`. */
  #list(): boolean {
    for (;;) {
      if (!this.#command()) return false;
      const operator = this.#tokens[this.#at];
      if (operator === undefined || !isOperator(operator)) return true;
      this.#at += 1;
      const isEnd = operator === ';' || operator === '\n';
      const next = this.#tokens[this.#at];
      if (isEnd && (next === undefined || next === 'done')) return true;
    }
  }

  #command(): boolean {
    if (this.#tokens[this.#at] === 'for') return this.#loop();
    const first = this.#tokens[this.#at];
    if (first === undefined || isOperator(first) || isRedirection(first) || RESERVED.has(first)) return false;
    this.#words();
    return true;
  }

  /** `for NAME in WORD ...; do LIST; done` */
  #loop(): boolean {
    const from = this.#at;
    this.#loops += 1;
    if (this.#loops > MOST_LOOPS) return false;
    const [, name = '', within] = this.#tokens.slice(from);
    if (!/^[a-z_]\w*$/i.test(name) || within !== 'in') return false;
    this.#at += 3;
    this.#words();
    if (this.#tokens.slice(from, this.#at).some(isRedirection)) return false;
    const isBegun = this.#takes(';', '\n') && this.#takes('do');
    this.#takes('\n');
    if (!isBegun || !this.#list() || !this.#takes('done')) return false;
    while (this.#takes('>', '<') || this.#takes(SAME)) if (this.#tokens[this.#at - 1] !== SAME) this.#at += 1;
    return true;
  }

  #takes(...tokens: readonly string[]): boolean {
    const isThere = tokens.includes(this.#tokens[this.#at] ?? '');
    if (isThere) this.#at += 1;
    return isThere;
  }

  #words(): void {
    while (this.#at < this.#tokens.length && !isOperator(this.#tokens[this.#at] ?? '')) this.#at += 1;
  }
}

function isOperator(token: string): boolean {
  return token === ';' || token === '|' || token === '\n' || token === '&&' || token === '||';
}

function isRedirection(token: string): boolean {
  return token === '>' || token === '<' || token === SAME;
}
