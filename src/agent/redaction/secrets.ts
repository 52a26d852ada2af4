import { isHarmless } from '../../secrets/harmless.ts';
import { redact } from '../../secrets/redact.ts';
import { looksSecret } from '../../secrets/rules.ts';

const USER_INFO = /:\/\/[^\s/:@"']{0,256}:([^\s/"']+)@/g;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----([^-]*)-----END/g;
/** Frame and lines of what nobody keeps secret, or of a private key, whose lines are secrets as they are. `=` only ends them. */
const PEM =
  /-----BEGIN ((?:X509 |TRUSTED |NEW )?CERTIFICATE(?: REQUEST)?|[A-Z0-9 ]{0,30}(?:PUBLIC|PRIVATE) KEY)-----([A-Za-z0-9+/\s]*(?:={1,2}\s*)?)-----END \1-----/g;
const TOKEN = /^[a-z0-9]{6}\.([a-z0-9]{16})$/;
/** As kubeadm's configuration names a bootstrap token. */
const TOKEN_KEY = 'token: ';
const ONE_WORD = /^[!-~]*$/;
const MIN_LENGTH = 6;

/** Configuration without the values of settings that mean a secret, whatever these look like. Logs would lose too much. */
export function redactSettings(text: string): string {
  return redact(text).replace(secretAssignments(), (whole, name: string, value: string) =>
    isHarmless(value) || value.includes('[redacted') ? whole : `${name}[redacted]`,
  );
}

/** The secrets that a configuration of the machine holds, to be cut out wherever else they turn up. */
export function secretsIn(text: string): string[] {
  // Each pattern that is used takes its part of a millisecond of V8.
  if (text.length < MIN_LENGTH) return [];
  const found: string[] = [];
  const isFramed = text.includes('-----BEGIN ');
  // Line by line, for that is how a key without its frame would turn up.
  const keep = (body: string): void => {
    for (const line of body.split('\n')) found.push(...wordsOf(line));
  };
  const unframed = isFramed
    ? text.replace(PEM, (_, label: string, body: string) => {
        if (label.endsWith('PRIVATE KEY')) keep(body);
        return '\n';
      })
    : text;
  // With headers of its own, or of another kind.
  for (const [, body = ''] of unframed.includes('PRIVATE KEY') ? text.matchAll(PRIVATE_KEY) : []) keep(body);
  const rest = withoutTokens(unframed, found);
  for (const value of secretValuesIn(rest)) {
    const text = value.trim();
    if (isHarmless(text)) continue;
    // On a command line another word follows, in YAML it is one value.
    const quoted = /^(["'])(.*)\1$/s.exec(text)?.[2];
    found.push(...(quoted === undefined ? [text, ...text.split(/\s/, 1)] : [quoted]));
  }
  for (const [, password = ''] of rest.includes('://') ? rest.matchAll(USER_INFO) : [])
    found.push(password, decoded(password));
  for (const secret of looksSecret(rest)) found.push(secret);
  // The part of a bootstrap token before the dot is public.
  return found
    .map((secret) => (secret[6] === '.' ? (TOKEN.exec(secret)?.[1] ?? secret) : secret))
    .filter((secret) => secret.length >= MIN_LENGTH);
}

/** Bootstrap tokens alone in their lines, as in kubeadm's configuration, are found without the patterns of all that could be there. */
function withoutTokens(text: string, found: string[]): string {
  if (!text.includes(TOKEN_KEY)) return text;
  const others = text.split('\n').filter((line) => {
    const [before, value, ...more] = line.split(TOKEN_KEY);
    const isAlone = more.length === 0 && (before?.trim() === '' || before?.trim() === '-');
    if (!isAlone || value === undefined || !TOKEN.test(value)) return true;
    found.push(value);
    return false;
  });
  return others.join('\n');
}

function wordsOf(line: string): string[] {
  const text = line.trim();
  return ONE_WORD.test(text) ? [text] : text.split(/\s+/);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No percent-encoding then; the text itself is looked for.
    return text;
  }
}

const SOURCE = String.raw`((?:token|secret|passw(?:or)?d|passphrase|\bauth|authorization|credential|identitytoken|key-data|(?:private|certificate|encryption|access|api)[_-]?key)(?:s|[_-]?(?:data|value|text|hash))?["']?[^\S\n]*[:=][^\S\n]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}#{[][^\n,}#]*)`;

/** A setting with a name that means a secret, in YAML, JSON, TOML or a shell's assignment; only for configuration. */
const secretAssignments = (): RegExp => new RegExp(SOURCE, 'gim');

/** The values of such settings. */
function secretValuesIn(text: string): string[] {
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
