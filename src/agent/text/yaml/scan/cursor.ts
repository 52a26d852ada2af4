const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;
const LINE = /[^\n\u2028\u2029]+/y;

/** A place in the text. It knows its line and column, which YAML's rules need. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  #lineStart = 0;
  /** Tabs separate values as spaces do: so libyaml reads them, which Go's YAML was made from, but PyYAML does not. */
  readonly tabs: boolean;
  /** All its line breaks are `\n`. */
  readonly #isUsual: boolean;

  constructor(text: string, tabs = false) {
    this.text = text;
    this.tabs = tabs;
    this.#isUsual = !text.includes('\u2028') && !text.includes('\u2029');
  }

  /** Characters in the line before this place. */
  get column(): number {
    return this.at - this.#lineStart;
  }

  /** The character here or `further` on; '' at the end. */
  peek(further = 0): string {
    return this.text.charAt(this.at + further);
  }

  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.at);
  }

  /** Moves forward within a line. */
  forward(count = 1): void {
    this.at += count;
  }

  /** Takes what a sticky pattern matches here, '' if nothing. The match must not cross a line break. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  /** Steps over spaces. */
  skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === SPACE) this.at += 1;
  }

  /** Steps over what separates two values in a line. */
  skipBlanks(): void {
    if (!this.tabs) this.skipSpaces();
    else
      for (
        let code = this.text.charCodeAt(this.at);
        code === SPACE || code === TAB;
        code = this.text.charCodeAt(this.at)
      )
        this.at += 1;
  }

  /** Does this character separate values? */
  separates(character: string): boolean {
    return character === ' ' || (this.tabs && character === '\t');
  }

  /** Takes everything up to the next line break. */
  restOfLine(): string {
    if (!this.#isUsual) return this.take(LINE);
    const end = this.text.indexOf('\n', this.at);
    const rest = end < 0 ? this.text.slice(this.at) : this.text.slice(this.at, end);
    this.at += rest.length;
    return rest;
  }

  /** Takes everything up to the next `character`, if that is in this line. */
  restUpTo(character: string): string | undefined {
    if (!this.#isUsual) return undefined;
    const end = this.text.indexOf(character, this.at);
    const rest = this.text.slice(this.at, Math.max(end, this.at));
    if (end < 0 || rest.includes('\n')) return undefined;
    this.at = end;
    return rest;
  }

  /**
   * Takes the rest of this line, and each line after it that begins with `spaces` and has more than these, without the spaces. It
   * ends before a line break, or at the text's end.
   */
  restOfLines(spaces: string): string {
    const first = this.restOfLine();
    if (!this.#isUsual) return first;
    const { text } = this;
    const lines = [first];
    while (text.startsWith(spaces, this.at + 1)) {
      const start = this.at + 1 + spaces.length;
      const end = text.indexOf('\n', start);
      if (end === start || start === text.length) break;
      this.at = end < 0 ? text.length : end;
      this.line += 1;
      this.#lineStart = start - spaces.length;
      lines.push(text.slice(start, this.at));
    }
    return lines.join('\n');
  }

  /** Takes a line break. @returns what it counts as in a value; '' if there is none */
  lineBreak(): string {
    const code = this.text.charCodeAt(this.at);
    if (code !== LINE_FEED && code !== LINE_SEPARATOR && code !== PARAGRAPH_SEPARATOR) return '';
    this.at += 1;
    this.line += 1;
    this.#lineStart = this.at;
    return code === LINE_FEED ? '\n' : String.fromCharCode(code);
  }

  /** `---` or `...` alone at the start of a line. */
  atDocumentMark(): boolean {
    return (this.startsWith('---') || this.startsWith('...')) && isBlankOrEnd(this.peek(3));
  }
}

/** Line breaks of YAML 1.1. Earlier code has turned the other three (\r, \r\n, U+0085) into \n. */
export function isBreak(character: string): boolean {
  return character === '\n' || character === '\u2028' || character === '\u2029';
}

export function isBreakOrEnd(character: string): boolean {
  return character === '' || isBreak(character);
}

/** Space, tab, line break or the end. */
export function isBlankOrEnd(character: string): boolean {
  return character === ' ' || character === '\t' || isBreakOrEnd(character);
}
