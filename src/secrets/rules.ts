import { isHarmless } from './harmless.ts';
import { endsName, mayHoldToken } from './names.ts';

/**
 * The one table of what a secret looks like, for both programs.
 *
 * Each rule works within one line; what its first group matches stays, the rest of the match is cut out. Lines
 * are as long as strangers make them, so no pattern may look further from any position than it consumes or a bound:
 * a pattern begins at a literal word, or where a word begins, and its repetitions exclude what it begins with. What may stand before the
 * word that decides is looked at behind it: looked for from each place where it could begin, it took seconds of a machine's words.
 */
interface Rule {
  /** Made when it is wanted: V8 takes its part of a millisecond for each. */
  pattern: () => RegExp;
  /** One of which is in each line with a match, in small letters. */
  words?: readonly string[];
  /** In the place of words, where these are many: source of what is in each such line, for a text in small letters. */
  sign?: string;
  /** What such a line holds besides, as it is written. */
  needs?: string;
  /** May a line, in small letters, have a match? Where more is known than one word. */
  may?: (line: string) => boolean;
  /** The match is `name = value`; some values say only that there is no secret or where it is. */
  isSetting?: true;
}

export const MARK = '[redacted]';

/** A value in quotes, in quotes that were escaped (JSON in JSON), or up to where a word ends; an end may be cut off. */
const VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\{1,3}"[^"\\]*|["']?[^\s"',;&\\]+)`;
/** Between a name and its value: quotes may close, escaped ones too. */
const IS = String.raw`\\{0,3}["']?\s{0,16}[:=]\s{0,16}`;

/** Names that mean a secret beside a quote or `=`, whatever stands before them. */
const BARE_NAMES = ['token', 'secret', 'credential', 'credentials'];

/** How credentials in a header begin. */
const SCHEME = '(?:bearer|basic|digest|negotiate|token|apikey|ntlm|aws4-hmac-sha256)';

/** Names that mean a secret wherever they stand before `:` or `=`. */
const NAMES = [
  // The program chpasswd, and cloud-init's key of that name, say what is wrong behind a colon.
  String.raw`(?!(?<=\bch)passwd:)pass(?:word|wd|phrase|code)`,
  '(?:client|shared|app|consumer|webhook)[_-]?secret',
  'secret[_-]?(?:access[_-]?)?key',
  '(?:api|access|account|private|encryption|signing|storage|master|shared[_-]?access)[_-]?key',
  '(?:access|refresh|id|auth|session|security|bearer|api|bot|deploy|sas|csrf|bootstrap)[_-]?token',
  'x-amz-(?:signature|credential|security-token)',
  'x-goog-signature',
  'accountkey',
  '_authtoken',
].join('|');

/** kubeadm's phase of that name, and how its error begins: a word of letters, which no bootstrap token is, and another. */
const PHASE = String.raw`bootstrap-token: (?:[a-z]{1,24}(?:'[a-z]{1,2}|:)?\s{1,16}["[(]?[a-z]|[a-z]{4,30}\.rbac\.authorization\.k8s\.io\b)`;

/** The beginnings that forges, clouds and chats give their tokens so that programs like this one find them. */
const TOKENS = [
  String.raw`gh[pousr]_\w{16,255}`,
  String.raw`github_pat_\w{16,255}`,
  String.raw`gl(?:pat|dt|rt|rtr|ptt|cbt|ft|soat|agent|imt|oas|ffct)-[\w.-]{16,255}`,
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  String.raw`AIza[\w-]{35}`,
  String.raw`xox[abeoprs]-[\w-]{10,255}`,
  String.raw`(?:npm|dop|doo|dor|shp(?:at|ca|pa|ss)|glsa)_\w{16,255}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{16,255}`,
  String.raw`pypi-AgEI[\w-]{16,4096}`,
  String.raw`hv[sbr]\.[\w-]{16,4096}`,
  String.raw`(?:sk|rk)_(?:live|test)_\w{16,255}`,
  'AGE-SECRET-KEY-1[A-Z0-9]{50,64}',
].join('|');

/** In small letters, what one of these begins with. */
const TOKEN_WORDS = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'akia', 'asia', 'abia', 'acca', 'aiza', 'xox'],
  ...['glpat-', 'gldt-', 'glrt-', 'glrtr-', 'glptt-', 'glcbt-', 'glft-', 'glsoat-', 'glagent-', 'glimt-'],
  ...['gloas-', 'glffct-', 'npm_', 'dop_', 'doo_', 'dor_', 'shpat_', 'shpca_', 'shppa_', 'shpss_', 'glsa_'],
  ...[
    'dckr_',
    'pypi-',
    'hvs.',
    'hvb.',
    'hvr.',
    'sk_live_',
    'sk_test_',
    'rk_live_',
    'rk_test_',
    'age-secret-key-',
  ],
];

export const RULES: readonly Rule[] = [
  // Slipway's own: `slwt.ID.SECRET` for a pool, `slwm.MACHINE.SECRET` for a Machine, `slwp.POOL.SECRET` for a MachinePool.
  { pattern: () => /(\bslw[mpt]\.)[\w.-]{8,}/g, words: ['slwm.', 'slwp.', 'slwt.'] },
  {
    pattern: () => new RegExp(`()(?<![A-Za-z0-9])(?:${TOKENS})`, 'g'),
    words: TOKEN_WORDS,
  },
  // JSON Web Tokens, also the detached form in cluster-info (`header..signature`).
  { pattern: () => /(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{5,}\.[\w-]*\.[\w-]{10,}/g, words: ['eyj'] },
  // Base64 of PEM ("-----BEGIN " at each of the three ways that bytes fall into base64).
  {
    pattern: () => /()(?:LS0tLS1CRUdJTi|0tLS0tQkVHSU4g|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]{16,}={0,2}/g,
    words: ['ls0tls1crudjti', '0tls0tqkvhsu4g', 'tls0tlujfr0lo'],
  },
  // Everything after a header or setting that carries credentials.
  {
    pattern: () =>
      new RegExp(
        String.raw`(\b(?:proxy-)?authorization${IS}\\{0,3}["']?${SCHEME}\s{1,16})[^"'\\\r\n]+`,
        'gi',
      ),
    words: ['authorization'],
  },
  {
    pattern: () =>
      new RegExp(
        String.raw`(\b(?:proxy-)?authorization${IS}\\{0,3}["']?)(?!${SCHEME}\s)(?=[^\s"'])[^"'\\\r\n]{8,}`,
        'gi',
      ),
    words: ['authorization'],
  },
  {
    pattern: () => /(\b(?:set-)?cookie\\{0,3}["']?\s{0,16}:\s{0,16}\\{0,3}["']?)[^"'\\\r\n]{8,}/gi,
    words: ['cookie'],
  },
  {
    pattern: () =>
      /((?=(?:token|key|secret)["']?\s{0,16}:)(?:(?<=\bx-[\w-]{0,40})(?:token|key|secret)|(?<=\b(?:private|deploy|job)-)token)["']?\s{0,16}:\s{0,16}["']?)[^\s"',;]{4,}/gi,
    words: ['token', 'key', 'secret'],
    needs: '-',
    may: (line) => endsName(line, ['token', 'key', 'secret'], { isJoined: true }),
  },
  { pattern: () => /(\bbearer\s{1,16})[\w.~+/=-]{8,}/gi, words: ['bearer'] },
  // --certificate-key VALUE, certificateKey: VALUE.
  { pattern: () => /(certificate-?key["']?[\s:="']{1,4})[0-9a-f]{32,}/gi, words: ['certificate'] },
  // Bootstrap tokens: the id is public, the part after the dot is the secret.
  {
    pattern: () => /((?<![\w.])[a-z0-9]{6}\.)[a-z0-9]{16}(?!\w)/g,
    sign: String.raw`\.[a-z0-9]{16}`,
    may: mayHoldToken,
  },
  // password=..., "passwd": "...", client_secret: ...; also in connection strings and command lines.
  // A validation error tells the value after words of its own, which another rule knows.
  {
    pattern: () => new RegExp(`((?!${PHASE})(?:${NAMES})${IS})(?!Invalid value: ")${VALUE}`, 'gi'),
    words: ['pass', 'secret', 'key', 'token', 'signature', 'credential'],
    may: (line) =>
      endsName(line, ['password', 'passwd', 'passphrase', 'passcode']) ||
      endsName(line, ['secret', 'key', 'token', 'signature', 'credential'], { isJoined: true }),
    isSetting: true,
  },
  // `token: ` begins many a sentence, so without quotes only what is long and has a digit counts.
  {
    pattern: () =>
      new RegExp(
        String.raw`((?:token|secret|credentials?|[?&;]sig(?:nature)?)\\{0,3}["']?\s{0,16}=\s{0,16})${VALUE}`,
        'gi',
      ),
    words: ['token', 'secret', 'credential', '?sig', '&sig', ';sig'],
    needs: '=',
    may: (line) => endsName(line, [...BARE_NAMES, 'sig', 'signature']),
    isSetting: true,
  },
  {
    pattern: () =>
      new RegExp(String.raw`((?:token|secret|credentials?)\\{0,3}["']\s{0,16}:\s{0,16})${VALUE}`, 'gi'),
    words: ['token', 'secret', 'credential'],
    may: (line) => endsName(line, BARE_NAMES, { before: '\\"\'' }),
    isSetting: true,
  },
  {
    pattern: () =>
      /((?:token|secret):\s{1,16})(?![a-z]{4,30}\.rbac\.authorization\.k8s\.io(?!\S))(?=[A-Za-z_.~+/=-]{0,200}\d)[\w.~+/=-]{16,}/gi,
    words: ['token:', 'secret:'],
    isSetting: true,
  },
  // --password x, --token x; not the flag's name in a sentence.
  {
    pattern: () =>
      new RegExp(
        String.raw`((?:password|passwd|passphrase|client-secret|token|api-key)\s{1,16})(?<=--[\w-]{0,77}\s{1,16})(?!(?:and|are|cannot|flags?|for|from|has|in|is|must|needs?|nor|not|option|or|requires?|should|to|value|was|which|with|without)\b)(?!-)${VALUE}`,
        'gi',
      ),
    words: ['pass', 'secret', 'token', 'key'],
    needs: '--',
    isSetting: true,
  },
  // Credentials of registries, as in the settings of Docker and containerd.
  {
    pattern: () =>
      /((?:\bauth["']?\s{0,4}[:=]\s{0,4}["']|(?:identitytoken|registrytoken|dockerconfigjson)["']?\s{0,4}[:=]\s{0,4}["']?))[A-Za-z0-9+/_.-]{8,}={0,2}/g,
    words: ['auth', 'token', 'dockerconfig'],
    may: (line) => endsName(line, ['auth', 'identitytoken', 'registrytoken', 'dockerconfigjson']),
  },
  // Hashes of passwords, as crypt(3) writes them.
  {
    pattern: () => /()\$(?:[156y]|gy|7|2[abxy])\$[^\s:'"]{8,}/g,
    words: ['$1$', '$5$', '$6$', '$y$', '$gy$', '$7$', '$2a$', '$2b$', '$2x$', '$2y$'],
  },
  // Validation errors quote the field's value, which may be a mistyped token.
  {
    pattern: () => /(: Invalid value: ")(?<=token\S{0,200}: Invalid value: ")[^"]+/gi,
    words: ['invalid value: '],
  },
  {
    pattern: () => /(could not construct token string for token: )\S+/gi,
    words: ['could not construct token'],
  },
  { pattern: () => /(bootstrap token ")[^"]+/gi, words: ['bootstrap token '] },
  // JSON decoders quote the text around an error, which may be the end of a secret.
  { pattern: () => /(error found in #\d{1,9} byte of ).+$/g, words: ['error found in #'] },
  // user:password@host in URLs, whatever the password holds; the user name may stay unless it is long enough for a token.
  {
    pattern: () => /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{0,256}:)[^\s/"']+(?=@)/gi,
    words: ['://'],
    needs: '@',
  },
  { pattern: () => /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@"']{20,}(?=@)/gi, words: ['://'], needs: '@' },
];

/** Without letters of both cases, for which V8 would take twice as long to compile it. */
let sign: RegExp | undefined;

function makeSign(): RegExp {
  const signs = RULES.flatMap(({ sign, words = [] }) => [...words.map(escaped), ...(sign ? [sign] : [])]);
  // Private keys, and certificate keys that are announced.
  return new RegExp([...new Set([...signs, 'key'])].join('|'));
}

function escaped(word: string): string {
  return word.replace(/[$.?]/g, '\\$&');
}

/** No text has a secret, by these rules and as private keys are framed or announced, of which this is false. */
export function mayHoldSecret(text: string): boolean {
  sign ??= makeSign();
  return sign.test(text.toLowerCase());
}

/** Those of the rules that may match in a text. */
export function rulesFor(text: string, among: readonly Rule[] = RULES): readonly Rule[] {
  const small = text.toLowerCase();
  return among.filter(
    ({ needs = '', words = [''], may = () => words.some((word) => small.includes(word)) }) =>
      text.includes(needs) && may(small),
  );
}

/** What the rules take for secrets in a text: in each line by itself, since what follows a name in the next one is another name. */
export function looksSecret(text: string): string[] {
  const rules = rulesFor(text);
  return rules.length === 0 ? [] : text.split(/[\r\n]+/).flatMap((line) => inLine(line, rules));
}

function inLine(line: string, rules: readonly Rule[]): string[] {
  return rulesFor(line, rules).flatMap(({ pattern, isSetting }) =>
    [...line.matchAll(pattern())].flatMap(([whole, before = '']) => {
      const value = whole.slice(before.length);
      if (isSetting && isHarmless(value)) return [];
      return value.replace(/^\\{0,3}["']/, '').replace(/["']$/, '');
    }),
  );
}
