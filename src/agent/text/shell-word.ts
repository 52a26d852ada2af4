const NEEDS_NO_QUOTES = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word of a shell's command line, whatever it holds. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A command line as a person would type it: quotes only where a word needs them, of `NAME=value` around the value. */
export function commandLine(words: readonly string[]): string {
  return words
    .map((word) => {
      const [, name = '', value = ''] = /^([A-Za-z_]\w*=)?(.*)$/s.exec(word) ?? [];
      return NEEDS_NO_QUOTES.test(value) || (name !== '' && value === '') ? word : `${name}${quoted(value)}`;
    })
    .join(' ');
}
