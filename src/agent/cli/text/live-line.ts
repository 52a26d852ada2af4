import { cut, width } from '../../../kit/terminal/columns.ts';

/** The part of a terminal's stream that a live line needs. */
export interface Terminal {
  /** Columns; 0 or absent where the terminal does not know (a serial console). */
  columns?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

const DEFAULT_COLUMNS = 80;

export const columnsOf = ({ columns }: Pick<Terminal, 'columns'>): number => columns || DEFAULT_COLUMNS;

/**
 * The last line of a terminal, rewritten again and again. It is never longer than the terminal is wide, also after that
 * was made narrower, so nothing ever scrolls but what is printed above it.
 */
export class LiveLine {
  readonly #terminal: Terminal;
  readonly #resized = () => this.#draw();
  #text = '';
  /** Columns that the line takes as it stands on the terminal. */
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.on('resize', this.#resized);
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  /** Prints lines that stay, above the live one. */
  print(text: string): void {
    this.#clear();
    this.#terminal.write(`${text}\n`);
    this.#draw();
  }

  /** Takes the line away; nothing is shown from now on. */
  end(): void {
    this.#terminal.off('resize', this.#resized);
    this.#clear();
  }

  #draw(): void {
    this.#clear();
    // The last column stays free: a terminal goes to the next row as soon as it is written.
    const line = cut(this.#text, columnsOf(this.#terminal) - 1);
    this.#drawn = width(line);
    this.#terminal.write(line);
  }

  /** A terminal that was made narrower has broken the line into several rows. */
  #clear(): void {
    const rows = Math.max(1, Math.ceil(this.#drawn / columnsOf(this.#terminal)));
    this.#drawn = 0;
    this.#terminal.write(rows === 1 ? '\r\x1b[K' : `\r\x1b[${rows - 1}A\x1b[J`);
  }
}
