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
  if (behind === undefined || /^[=(]/.test(text)) return 'it must name the hosts, as in "ALL=(ALL) ALL"';
  if (/^\([^)]*$/.test(behind)) return 'the parenthesis after = is not closed';
  const commands = behind.replace(/^\([^)]*\)\s*/, '');
  if (/^(?:#|$)/.test(commands)) return 'it has no command, as in "ALL=(ALL) ALL"';
  return BARE_TAG.test(commands) ? 'a colon is missing after NOPASSWD or PASSWD' : undefined;
}
