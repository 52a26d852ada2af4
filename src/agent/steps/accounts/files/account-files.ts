/** Whoever writes these makes users of his own. */
export const ACCOUNT_FILES: ReadonlySet<string> = new Set(['/etc/passwd', '/etc/group']);
