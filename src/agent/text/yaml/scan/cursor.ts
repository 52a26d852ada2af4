/** A place in the text, with what YAML needs to know about it: the line and how far into the line. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Characters of the line before this place. */
  get column(): number {
    return this.at - this.#lineStart;
  }

  /** The character here or further on; '' at the end. */
  peek(further = 0): string {
    return this.text.charAt(this.at + further);
  }

  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.at);
  }

  /** Goes on within a line. */
  forward(count = 1): void {
    this.at += count;
  }

  /** Takes what a sticky pattern matches here, which must not reach over a line break; '' when it matches nothing. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  /** Takes a line break; the answer is what it counts as in a value, '' when there is none. */
  lineBreak(): string {
    const character = this.peek();
    if (!isBreak(character)) return '';
    this.at += 1;
    this.line += 1;
    this.#lineStart = this.at;
    return character;
  }

  /** `---` or `...` by itself at the start of a line. */
  atDocumentMark(): boolean {
    return (this.startsWith('---') || this.startsWith('...')) && isBlankOrEnd(this.peek(3));
  }
}

/** Line breaks of YAML 1.1; the other three (\r, \r\n, U+0085) have been made \n before. */
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
