/** What stands between two commands of a shell text. */
type Joint = ';' | '|' | '||' | '&&' | '&' | 'newline';

/** A command of a shell text, without what stands in its substitutions, and what follows it. */
export interface ShellCommand {
  text: string;
  /** Counts from 1. */
  line: number;
  /** Undefined behind the last one. */
  next?: Joint;
}

/** Words that end or divide a compound command: what stands before them is no command that is left behind. */
const DIVIDES = /^(?:then|do|else|elif|fi|done|esac|\}|\))(?=\s|$|[;|&)<>])/;

/**
 * The commands of a shell text in their order, with the operators between them. Quotes, substitutions, comments and here
 * documents are passed over, and so are patterns of `case`. It serves advice: where a text is odd, it says less. Never throws.
 */
export function splitCommands(text: string): ShellCommand[] {
  return new Outline(text).pieces();
}

/** True where a piece is part of the frame of a compound command, as in `; then`. */
export function isCompoundKeyword(piece: ShellCommand | undefined): boolean {
  return piece === undefined || DIVIDES.test(piece.text);
}

class Outline {
  readonly #text: string;
  readonly #pieces: ShellCommand[] = [];
  readonly #awaited: string[] = [];
  #at = 0;
  #line = 1;
  #word = '';
  #isBlank = true;
  #begins = 1;

  constructor(text: string) {
    this.#text = text;
  }

  pieces(): ShellCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#end();
    return this.#pieces;
  }

  #step(): void {
    const character = this.#text[this.#at] ?? '';
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (character === '\\') this.#take(2);
    else if (character === "'" || character === '"' || character === '`') this.#quoted(character);
    else if (two === '$(' || two === '<(' || two === '>(') this.#substitution();
    else if (character === '#' && this.#beginsWord()) this.#skipTo(this.#lineEnd());
    else if (two === '<<' && this.#text[this.#at + 2] !== '<') this.#hereDocument();
    else if (character === '\n') this.#newline();
    else if (two === ';;') this.#joint(2, 'newline');
    else if (two === '||' || two === '&&') this.#joint(2, two);
    else if (two === '&>' || two === '>&' || two === '<&' || two === '>|') this.#take(2);
    else if (character === ';' || character === '|' || character === '&')
      this.#joint(two === '|&' ? 2 : 1, character);
    else this.#take(1);
  }

  #beginsWord(): boolean {
    return this.#at === 0 || /[\s;|&(]/.test(this.#text[this.#at - 1] ?? '');
  }

  #take(count: number): void {
    const taken = this.#text.slice(this.#at, this.#at + count);
    if (this.#isBlank) this.#begins = this.#line;
    this.#isBlank &&= taken.trim() === '';
    this.#word += taken;
    this.#count(taken);
    this.#at += count;
  }

  #count(passed: string): void {
    for (const character of passed) if (character === '\n') this.#line += 1;
  }

  #skipTo(end: number): void {
    this.#count(this.#text.slice(this.#at, end));
    this.#at = end;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #quoted(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote)
      end += this.#text[end] === '\\' && quote !== "'" ? 2 : 1;
    this.#take(Math.min(end + 1, this.#text.length) - this.#at);
  }

  /** What stands in a substitution has a result of its own; its inner operators say nothing of this command. */
  #substitution(): void {
    let depth = 0;
    let end = this.#at + 1;
    for (; end < this.#text.length; end += 1) {
      const character = this.#text[end];
      if (character === "'") {
        const close = this.#text.indexOf("'", end + 1);
        if (close === -1) break;
        end = close;
      } else if (character === '(') depth += 1;
      else if (character === ')' && --depth === 0) break;
    }
    this.#take(Math.min(end + 1, this.#text.length) - this.#at);
  }

  #hereDocument(): void {
    const [all = '<<', , mark = ''] =
      /^<<-?\s*(['"]?)([\w.-]+)\1/.exec(this.#text.slice(this.#at, this.#at + 120)) ?? [];
    if (mark !== '') this.#awaited.push(mark);
    this.#take(all.length);
  }

  #newline(): void {
    this.#joint(1, 'newline');
    for (const mark of this.#awaited.splice(0)) {
      for (;;) {
        const end = this.#lineEnd();
        const isEnd = this.#text.slice(this.#at, end).trim() === mark;
        this.#skipTo(Math.min(end + 1, this.#text.length));
        if (isEnd || this.#at >= this.#text.length) break;
      }
    }
  }

  #joint(length: number, joint: Joint): void {
    const taken = this.#text.slice(this.#at, this.#at + length);
    this.#end(joint);
    this.#count(taken);
    this.#at += length;
  }

  #end(next?: Joint): void {
    const text = this.#word.trim();
    this.#word = '';
    this.#isBlank = true;
    // An operator at the end of a line goes on in the next.
    if (text === '') return;
    this.#pieces.push({ text, line: this.#begins, ...(next === undefined ? {} : { next }) });
  }
}
