/**
 * Reads the part of the shell's grammar that needs no shell: plain and quoted words, `&&` and `>`. It refuses
 * everything whose meaning depends on the shell's state and never guesses.
 */

/** `bare`: so many characters at its front stand outside of quotes. */
export type Token = { word: string; bare: number } | { operator: '&&' | '>' };

/** Characters that every POSIX shell takes literally if they stand unquoted inside a command. */
const PLAIN = /[A-Za-z0-9_@%+=:,./-]/;

/**
 * Splits a simple command line into words and operators. Never throws.
 *
 * @returns undefined if it has anything but plain words, quoted words without expansions, `&&` and `>` (so no
 * variables, globs, pipes, `;`, comments, escapes or line breaks)
 */
export function shellTokens(line: string): Token[] | undefined {
  const text = withoutBlanksAround(line);
  const tokens: Token[] = [];
  let word: string | undefined;
  let bare: number | undefined;
  const endWord = (): void => {
    if (word !== undefined) tokens.push({ word, bare: bare ?? word.length });
    word = undefined;
    bare = undefined;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === ' ' || char === '\t') endWord();
    else if (PLAIN.test(char)) word = (word ?? '') + char;
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, i + 1);
      if (end < 0) return undefined;
      const quoted = text.slice(i + 1, end);
      if (hasControlCharacter(quoted) || (char === '"' && /[$`\\!]/.test(quoted))) return undefined;
      bare ??= word?.length ?? 0;
      word = (word ?? '') + quoted;
      i = end;
    } else if (char === '&' && text[i + 1] === '&') {
      endWord();
      tokens.push({ operator: '&&' });
      i++;
    } else if (char === '>' && text[i + 1] !== '>') {
      // In `2> file`, the number touches the operator: it names another stream and is no word.
      if (word !== undefined && /^\d+$/.test(word)) return undefined;
      endWord();
      tokens.push({ operator: '>' });
    } else return undefined;
  }
  endWord();
  return tokens;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** By hand: a pattern for blanks at an end looks at those in the middle again and again. */
function withoutBlanksAround(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && BLANKS.includes(line[start] ?? '')) start += 1;
  while (end > start && BLANKS.includes(line[end - 1] ?? '')) end -= 1;
  return line.slice(start, end);
}

const BLANKS: readonly string[] = [' ', '\t', '\n'];
