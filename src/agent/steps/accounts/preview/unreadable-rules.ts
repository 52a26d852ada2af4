import type { Diagnostic, UserEntry } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { entryAt } from '../../kind/preview.ts';
import { withRules } from '../files/sudoers.ts';

const MOST_MS = 2000;
/** Each look for the user whose rules they are is a process. */
const MOST_USERS = 16;
/** As sudo has said it up to 1.9.4, and since. */
const SAID = [/>>> [^:]+: (?<why>.+?) near line (?<line>\d+)/, /^[^:\s]+:(?<line>\d+)(?::\d+)?: (?<why>.+)/m];

/** Sudo rules that the machine's own visudo refuses: the step would write none of that user's, and go on with less of it. What no sudo can read, the text's reader refuses. */
export async function unreadableRules(
  host: Pick<Host, 'processes'>,
  users: readonly UserEntry[],
): Promise<Diagnostic[]> {
  const ruled = users.filter(({ sudo }) => sudo.length > 0);
  if (ruled.length === 0) return [];
  if ((await host.processes.which('visudo')) === undefined) return [];
  const all = ruled.reduce<string | undefined>(
    (text, { name, sudo }) => withRules(text, name, sudo),
    undefined,
  );
  if ((await complaint(host, all ?? '')) === undefined) return [];
  const found: Diagnostic[] = [];
  for (const user of ruled.slice(0, MOST_USERS)) {
    const said = await complaint(host, withRules(undefined, user.name, user.sudo));
    if (said !== undefined) found.push(entry(user, said.line - HEAD, said.why));
  }
  return found;
}

/** Lines of the file before the first rule. */
const HEAD = withRules(undefined, '', ['']).split('\n').length - 2;

async function complaint(
  { processes }: Pick<Host, 'processes'>,
  input: string,
): Promise<{ line: number; why: string } | undefined> {
  const { exitStatus, stderr, stdout } = await processes.run({
    argv: ['visudo', '--check', '--file=-'],
    env: { LC_ALL: 'C' },
    input,
    timeoutMs: MOST_MS,
  });
  if (exitStatus === 0) return undefined;
  // Without such words it is not the text that is wrong.
  const said = SAID.map((form) => form.exec(`${stderr}\n${stdout}`)?.groups).find((groups) => groups);
  return said && { line: Number(said.line), why: `visudo says "${printable(said.why ?? '').slice(0, 80)}"` };
}

function entry({ name, where }: UserEntry, rule: number, why: string): Diagnostic {
  const message = `The user ${printable(name)} cannot have its sudo rules: rule ${rule} cannot be read (${why})`;
  return entryAt('warning', where, 'UserNotCreated', message);
}
