import { visible } from './visible.ts';

/** Until the first character behind Latin and its kin; V8 takes 0.7 ms for the two patterns, and most texts never need them. */
const SIMPLE = 0x300;

function widthOf(character: string): number {
  if ((character.codePointAt(0) ?? 0) < SIMPLE) return 1;
  // What is drawn on the character before it.
  if (/[\p{Mn}\p{Me}]/u.test(character)) return 0;
  // East Asian characters and emoji, which take two columns.
  const wide =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
  return wide.test(character) ? 2 : 1;
}

/** Columns that a text without control characters takes on a terminal. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** The text as one line that takes at most so many columns; what is cut off ends with an ellipsis. */
export function cut(text: string, columns: number): string {
  const line = visible(text);
  if (width(line) <= columns) return line;
  if (columns < 1) return '';
  let kept = '';
  let used = 1;
  for (const character of line) {
    used += widthOf(character);
    if (used > columns) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The text with spaces behind it, up to so many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

/** The text in lines of at most so many columns, broken at spaces; a longer word stands alone, whole. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of visible(text).split(' ')) {
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The same, but a word that is longer than a line is broken: no line takes more columns. */
export function fold(text: string, columns: number): string[] {
  return wrap(text, columns).flatMap((line) => {
    const parts = [''];
    for (const character of line) {
      const part = parts.at(-1) ?? '';
      if (part !== '' && width(part) + widthOf(character) > columns) parts.push(character);
      else parts[parts.length - 1] = part + character;
    }
    return parts;
  });
}
