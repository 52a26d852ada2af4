const SOURCE = String.raw`((?:token|secret|passw(?:or)?d|passphrase|\bauth|authorization|credential|identitytoken|key-data|(?:private|certificate|encryption|access|api)[_-]?key)(?:s|[_-]?(?:data|value|text|hash))?["']?[^\S\n]*[:=][^\S\n]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}#{[][^\n,}#]*)`;

/** A setting with a name that means a secret, in YAML, JSON, TOML or a shell's assignment; only for configuration. */
export const secretAssignments = (): RegExp => new RegExp(SOURCE, 'gim');

/** The values of such settings. */
export function secretValuesIn(text: string): string[] {
  const small = text.toLowerCase();
  if (!small.split('\n').some(mayBeSetting)) return [];
  // To compile a pattern for letters of both cases takes V8 twice as long. One letter becomes two when it is small.
  if (small.length !== text.length)
    return Array.from(text.matchAll(secretAssignments()), ([, , value = '']) => value);
  return Array.from(small.matchAll(new RegExp(SOURCE, 'gm')), ({ index, 0: whole, 1: name = '' }) =>
    text.slice(index + name.length, index + whole.length),
  );
}

/** One of which is in each such name, in small letters. */
const SETTING_WORDS = ['token', 'secret', 'passw', 'passphrase', 'auth', 'credential', 'key'];

/** Has the line such a word, and something behind a sign that makes a setting? */
function mayBeSetting(line: string): boolean {
  const value = line.slice(1 + Math.min(...['=', ':'].map((sign) => placeOf(sign, line))));
  return value.trim() !== '' && SETTING_WORDS.some((word) => line.includes(word));
}

/** Behind the end, where the line has no such sign. */
function placeOf(sign: string, line: string): number {
  const at = line.indexOf(sign);
  return at < 0 ? line.length : at;
}
