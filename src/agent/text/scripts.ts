/** How the scripts of user data lie in a document's commands, for those who run them and those who look at them. */

/** What runs a script for Windows. */
type WindowsForm = 'cmd' | 'powershell' | 'powershell-x86';

/** By their first lines, as cloudbase-init has them; each is a comment of its own language. */
const FORMS: readonly (readonly [RegExp, WindowsForm])[] = [
  [/^rem[ \t]+cmd\s/i, 'cmd'],
  [/^#ps1(?:_sysnative)?\s/i, 'powershell'],
  [/^#ps1_x86\s/i, 'powershell-x86'],
];

/** What user data of EC2 for Windows begin with; a page of HTML, which has scripts too, does not. */
const TAGGED = /^<(?:script|powershell|persist|version|runAsLocalSystem|detach)>/;

export function windowsForm(text: string): WindowsForm | undefined {
  // No pattern is made for what begins otherwise.
  const beginning = text.slice(0, 4).toLowerCase();
  if (!beginning.startsWith('rem') && beginning !== '#ps1') return undefined;
  return FORMS.find(([form]) => form.test(text))?.[1];
}

/**
 * The scripts for Windows that a text is: one, or those between tags as EC2 has them, those of cmd.exe first. Undefined where it
 * is none.
 */
export function windowsScripts(text: string): string[] | undefined {
  const whole = text.trimStart();
  if (windowsForm(whole) !== undefined) return [whole];
  if (!TAGGED.test(whole)) return undefined;
  const found = [
    ...between(whole, 'script').map((text) => `rem cmd\n${text}\n`),
    ...between(whole, 'powershell').map((text) => `#ps1\n${text}\n`),
  ];
  return found.length > 0 ? found : undefined;
}

/**
 * Where a section of EC2's begins that nothing closes: nothing of it would be run. It begins a line, or stands behind another
 * tag; one that a comment or a sentence between the sections names is none.
 */
export function unclosedSection(text: string): { tag: string; at: number } | undefined {
  if (!TAGGED.test(text.trimStart())) return undefined;
  // From the end, once: a text full of such beginnings would be looked through once for each.
  const lastEnds = new Map(['script', 'powershell'].map((tag) => [tag, text.lastIndexOf(`</${tag}>`)]));
  const opening = /(?:^|>)[ \t]*<(script|powershell)>/gm;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [, tag = ''] = found;
    const at = opening.lastIndex - tag.length - 2;
    const end = at < (lastEnds.get(tag) ?? -1) ? text.indexOf(`</${tag}>`, at) : -1;
    const after = end === -1 ? endOfComment(text, at) : end;
    if (after === undefined) return { tag, at };
    opening.lastIndex = after;
  }
  return undefined;
}

/** Where the comment ends in which this place lies; undefined where it lies in none. */
function endOfComment(text: string, at: number): number | undefined {
  const begin = text.lastIndexOf('<!--', at);
  const end = begin === -1 ? -1 : text.indexOf('-->', begin);
  return end > at ? end : undefined;
}

function between(text: string, tag: string): string[] {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const found: string[] = [];
  for (let at = text.indexOf(open); at !== -1; ) {
    const end = text.indexOf(close, at);
    if (end === -1) break;
    found.push(text.slice(at + open.length, end).trim());
    at = text.indexOf(open, end);
  }
  return found.filter((inner) => inner !== '');
}

/** The file that a command makes of a whole script, runs and removes, with what it holds; undefined for any other command. */
export function embeddedScript(shell: string): { path: string; text: string } | undefined {
  const [whole, path, end] = /cat > '([^'\n]+)'\) <<'(SLIPWAY_END_\w+)'\n/.exec(shell) ?? [];
  if (whole === undefined || path === undefined) return undefined;
  const begin = shell.indexOf(whole) + whole.length;
  // Not by the pattern: a text full of such beginnings would be looked through once for each.
  const behind = shell.lastIndexOf(`\n${end}\n`) + 1;
  return behind <= begin ? undefined : { path, text: shell.slice(begin, behind) };
}
