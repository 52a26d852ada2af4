/** A name by which somebody's public SSH keys are known, such as `gh:octocat`. */
interface KeyId {
  service: 'gh' | 'lp';
  name: string;
}

/** `gh:NAME`, `lp:NAME`; a bare name is Launchpad's, as with ssh-import-id. Undefined for anything else. */
export function readKeyId(text: string): KeyId | undefined {
  const found = /^(?:(gh|lp):)?([A-Za-z0-9][A-Za-z0-9.+_-]{0,63})$/.exec(text.trim());
  if (found?.[2] === undefined) return undefined;
  return { service: found[1] === 'gh' ? 'gh' : 'lp', name: found[2] };
}

/** Where the service tells them, one a line. */
export function addressOfKeys({ service, name }: KeyId): string {
  return service === 'gh' ? `https://github.com/${name}.keys` : `https://launchpad.net/~${name}/+sshkeys`;
}
