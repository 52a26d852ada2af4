/** The types that cloud-init's `VALID_KEY_TYPES` knows. */
const TYPES =
  /^(?:rsa|ecdsa|ed25519|ssh-(?:rsa|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|(?:ssh-(?:rsa|ed25519|xmss)|(?:sk-)?ecdsa-sha2-nistp(?:256|384|521)|sk-ssh-ed25519)-cert-v01@openssh\.com|(?:sk-ecdsa-sha2-nistp256|sk-ssh-ed25519|ssh-xmss)@openssh\.com)$/;
/** Options before a key: all up to the first blank that is not within quotes. */
const OPTIONS = /^(?:\\"|"(?:\\"|[^"])*"?|[^\s"]+)*/;

/** A line as cloud-init writes it, which does not ask whether sshd could read the key; undefined if there is none in it. */
function parsed(line: string): { key: string; line: string } | undefined {
  const entry = line.trim();
  if (entry.startsWith('#')) return undefined;
  const options = OPTIONS.exec(entry)?.[0] ?? '';
  for (const before of ['', options]) {
    const [, type = '', key, comment = ''] =
      /^(\S+)\s+(\S+)\s*(.*)$/s.exec(entry.slice(before.length).trimStart()) ?? [];
    if (key !== undefined && TYPES.test(type))
      return { key, line: [before, type, key, comment].filter((part) => part !== '').join(' ') };
  }
  return undefined;
}

/** The key of a line that may let somebody in, in base64; undefined if there is none. */
export function keyOf(line: string): string | undefined {
  const key = parsed(line)?.key;
  return key !== undefined && /^[A-Za-z0-9+/]+={0,3}$/.test(key) ? key : undefined;
}

/**
 * Puts `keys` into the text of authorized_keys: a line replaces an earlier one with the same key, a new key
 * goes to the end, everything else stays (cloud-init's `update_authorized_keys`). It skips lines without a
 * key.
 */
export function withKeys(present: string, keys: readonly string[]): string {
  const wanted = new Map<string, string>();
  // A text of several lines holds several keys.
  for (const each of keys.flatMap((text) => text.split('\n'))) {
    const own = parsed(each);
    if (own !== undefined) wanted.set(own.key, own.line);
  }
  const lines = present === '' ? [] : present.replace(/\n$/, '').split('\n');
  const placed = new Set<string>();
  const kept = lines.map((line) => {
    const key = parsed(line)?.key;
    const better = key === undefined ? undefined : wanted.get(key);
    if (key === undefined || better === undefined) return line;
    placed.add(key);
    return better;
  });
  const added = [...wanted].filter(([key]) => !placed.has(key)).map(([, line]) => line);
  return [...kept, ...added].map((line) => `${line}\n`).join('');
}

/**
 * Where sshd looks for a user's keys: the first path in its AuthorizedKeysFile that belongs to the user, else
 * the default.
 */
export function keysPath(sshdConfig: string, user: string, home: string): string {
  const setting = /^[^\S\n]*AuthorizedKeysFile[\s=]+(.*)$/im.exec(sshdConfig)?.[1] ?? '';
  for (const pattern of setting.split(/\s+/).filter((word) => word !== '' && word !== 'none')) {
    const name = pattern
      .replaceAll('"', '')
      .replace(/%[hu%]/g, (token) => ({ '%h': home, '%u': user, '%%': '%' })[token] ?? token);
    const path = name.startsWith('/') ? name : `${home}/${name}`;
    if (/%[hu]/.test(pattern) || path.startsWith(`${home}/`)) return path;
  }
  return `${home}/.ssh/authorized_keys`;
}
