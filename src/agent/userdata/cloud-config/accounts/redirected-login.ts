import { printable } from '../../../text/diagnostics.ts';
import type { Fields } from '../../../text/yaml/fields.ts';

/** sshd(8) shows it to whoever comes as somebody who is not to. */
export const REDIRECT_OPTIONS =
  'no-port-forwarding,no-agent-forwarding,no-X11-forwarding,command="echo \'Please login as the user \\"$USER\\" rather than the user \\"$DISABLE_USER\\".\';echo;sleep 10;exit 142"';

/** The options before a key that turn its owner away as `who`, and tell him to come as `other`. */
export function redirectOptions(options: string, who: string, other: string): string {
  return options.replaceAll('$DISABLE_USER', who).replaceAll('$USER', printable(other));
}

/** Whom the source's public keys are for. */
export interface PublicKeyTarget {
  defaultUser?: string;
  /** Why there is none. */
  why: string;
  publicKeys: readonly string[];
}

/** `ssh_redirect_user`: the source's public keys, each telling its owner to come as the default user. */
export function redirectedKeys(
  fields: Fields,
  name: string,
  { defaultUser, why: none, publicKeys }: PublicKeyTarget,
): string[] {
  const node = fields.node('ssh_redirect_user');
  if (node === undefined || (node.kind === 'bool' && !node.value)) return [];
  if (!(node.kind === 'bool' || (node.kind === 'string' && node.value === 'default')))
    fields.wrong('ssh_redirect_user', 'ssh_redirect_user must be true, false or default.');
  if (fields.node('ssh_authorized_keys') ?? fields.node('ssh_import_id'))
    fields.wrong(
      'ssh_redirect_user',
      'ssh_redirect_user cannot be combined with ssh_authorized_keys or ssh_import_id: logins of such a user are redirected.',
    );
  if (defaultUser !== undefined && publicKeys.length > 0)
    return publicKeys.map((key) => `${redirectOptions(REDIRECT_OPTIONS, name, defaultUser)} ${key}`);
  const why = defaultUser === undefined ? none : 'the metadata has no public keys';
  fields.warn('ssh_redirect_user', `ssh_redirect_user does nothing: ${why}.`);
  return [];
}
