const PART = /^[^#=]*=\s*(.*)$/s;
/** A tag without its colon takes the command behind it for a part of itself. */
const BARE_TAG = /^(?:NO)?PASSWD\s+[^\s:,#]/;

/**
 * Why no release of sudo can read this rule of a user; undefined where one may. Only visudo knows the rest, and not every machine
 * has it.
 */
export function sudoRuleProblem(rule: string): string | undefined {
  const text = rule.trim();
  const behind = PART.exec(text)?.[1];
  if (behind === undefined || /^[=(]/.test(text)) return 'it must say on which hosts, as in "ALL=(ALL) ALL"';
  if (/^\([^)]*$/.test(behind)) return 'the parenthesis behind = is not closed';
  const commands = behind.replace(/^\([^)]*\)\s*/, '');
  if (/^(?:#|$)/.test(commands)) return 'it names no command, as in "ALL=(ALL) ALL"';
  return BARE_TAG.test(commands) ? 'a colon is missing behind NOPASSWD or PASSWD' : undefined;
}
