/** Accepts the names of users and groups that useradd accepts and no command or file can misread. */
export function isAccountName(name: string): boolean {
  return /^[A-Za-z0-9_.][A-Za-z0-9_.@-]{0,62}\$?$/.test(name) && !/^\.{1,2}$/.test(name);
}

export const NAME_RULE =
  'a name must consist of letters, digits, underscores, dots and hyphens, and not begin with a hyphen.';
