/** A public key in a line of authorized_keys (sshd(8)), with options before it and a comment after it. */
const KEY =
  /(?:^|\s)(?:ssh-(?:rsa|dss|ed25519|ed448|xmss@openssh\.com)|rsa-sha2-(?:256|512)|ecdsa-sha2-[\w-]+|sk-(?:ssh|ecdsa)-[\w.@-]+|ssh-[\w-]+-cert-v0[01]@openssh\.com|ecdsa-[\w-]+-cert-v01@openssh\.com)\s+([A-Za-z0-9+/]+={0,3})(?=\s|$)/;

/** The key itself, by which to compare two lines; undefined if the line holds none. */
export function keyOf(line: string): string | undefined {
  return line.trimStart().startsWith('#') ? undefined : KEY.exec(line)?.[1];
}

/**
 * Puts `keys` into the text of authorized_keys: a line replaces an earlier one with the same key, a new key
 * goes to the end, everything else stays (cloud-init's `update_authorized_keys`). It skips lines without a
 * key.
 */
export function withKeys(present: string, keys: readonly string[]): string {
  const wanted = new Map<string, string>();
  for (const line of keys) {
    const key = keyOf(line);
    if (key !== undefined) wanted.set(key, line.trim());
  }
  const lines = present === '' ? [] : present.replace(/\n$/, '').split('\n');
  const placed = new Set<string>();
  const kept = lines.map((line) => {
    const key = keyOf(line);
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
  const setting = /^\s*AuthorizedKeysFile[\s=]+(.*)$/im.exec(sshdConfig)?.[1] ?? '';
  for (const pattern of setting.split(/\s+/).filter((word) => word !== '' && word !== 'none')) {
    const name = pattern
      .replaceAll('"', '')
      .replace(/%[hu%]/g, (token) => ({ '%h': home, '%u': user, '%%': '%' })[token] ?? token);
    const path = name.startsWith('/') ? name : `${home}/${name}`;
    if (/%[hu]/.test(pattern) || path.startsWith(`${home}/`)) return path;
  }
  return `${home}/.ssh/authorized_keys`;
}
