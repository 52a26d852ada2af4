/** An assignment in a unit file. */
export interface UnitOption {
  section: string;
  name: string;
  value: string;
}

/** What go-systemd's unit parser, by which Ignition judges, makes of a unit file. */
interface UnitFile {
  sections: string[];
  options: UnitOption[];
  /** What is wrong with it, in words. */
  problem?: string;
}

/** Longer lines are refused (go-systemd's SYSTEMD_LINE_MAX). */
const MAX_LINE = 2048;

/** Reads a unit file. Before the first section everything is passed over. */
export function parseUnit(text: string): UnitFile {
  const file: UnitFile = { sections: [], options: [] };
  const lines = new Lines(text);
  let section: string | undefined;
  while (!lines.atEnd) {
    if (section !== undefined) lines.skipSpace();
    if (lines.isTooLong) return { ...file, problem: `a line has more than ${MAX_LINE} characters` };
    const next = lines.peek();
    if (next === '[') {
      const name = lines.sectionName();
      if ('problem' in name) return { ...file, problem: name.problem };
      section = name.name;
      file.sections.push(section);
    } else if (next === '#' || next === ';') lines.skipComment();
    else if (section === undefined) lines.skip();
    else if (next !== '') {
      const option = lines.option();
      if ('problem' in option) return { ...file, problem: option.problem };
      file.options.push({ section, ...option });
    }
  }
  return file;
}

class Lines {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get isTooLong(): boolean {
    const ahead = this.#text.slice(this.#at, this.#at + MAX_LINE);
    return ahead.length === MAX_LINE && !/[\r\n]/.test(ahead);
  }

  peek(): string {
    return this.#text[this.#at] ?? '';
  }

  skip(): void {
    this.#at += 1;
  }

  skipSpace(): void {
    while (/\s/.test(this.peek())) this.#at += 1;
  }

  /** A comment goes on behind a backslash. */
  skipComment(): void {
    while (this.#line().replace(/ $/, '').endsWith('\\') && !this.atEnd);
  }

  sectionName(): { name: string } | { problem: string } {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) return { problem: 'a section has no "]"' };
    const name = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return this.#line().trim() === '' ? { name } : { problem: `there is text after the section's "]"` };
  }

  option(): { name: string; value: string } | { problem: string } {
    const rest = /[^=\n\r]*/y;
    rest.lastIndex = this.#at;
    const name = rest.exec(this.#text)?.[0] ?? '';
    if (this.#text[this.#at + name.length] !== '=') return { problem: 'a line has no "="' };
    this.#at += name.length + 1;
    let value = '';
    for (;;) {
      const line = this.#line();
      const isBlank = line.trim() === '';
      if (!isBlank) value += line;
      if (isBlank || !line.endsWith('\\')) break;
      if (!this.atEnd) value += '\n';
    }
    return { name: name.trim(), value: value.trim() };
  }

  #line(): string {
    const end = this.#text.indexOf('\n', this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return line;
  }
}
