import type { Diagnostic, Document, UserEntry } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { entryAt, type PreviewContext } from '../../kind/preview.ts';
import { keyOf } from '../files/authorized-keys.ts';
import { withRules } from '../files/sudoers.ts';
import { impossibleUsers } from './impossible-users.ts';
import { LONGEST_NAME } from './preview-groups.ts';

/**
 * What of users will not be as the user data says. A node comes up without the users of a cloud-config, so a bootstrap does not
 * ask for them before the step does: other user databases may be far away. In Ignition's order it does not.
 */
export async function previewUsers(
  specs: readonly { entries: UserEntry[] }[],
  { document, moment, host }: PreviewContext,
): Promise<Diagnostic[]> {
  const users = specs.flatMap(({ entries }) => entries);
  return [
    ...(moment === 'start' ? [] : settings(users, document)),
    ...(moment === 'check' ? doubtful(users, document) : []),
    ...(moment === 'plan' || (moment === 'start' && document.order === 'stages')
      ? await impossibleUsers(host, users, document)
      : []),
    ...(moment === 'plan' ? await unreadableRules(host, users) : []),
  ];
}

/** What depends on who is there already, only the step can say. */
function settings(users: readonly UserEntry[], { system }: Document): Diagnostic[] {
  const made = users.filter(({ exact }) => exact === undefined);
  const given = new Set(system?.passwords?.users.map(({ name }) => name));
  const ofUsers = made.flatMap((user) =>
    [withoutHome(user), badKeys(user), given.has(user.name) ? undefined : locked(user)].flatMap((message) =>
      message === undefined ? [] : [entry(message, user)],
    ),
  );
  return [...ofUsers, ...sameIds(made)];
}

/** What most machines refuse, and some take: where there is one, it is asked. */
function doubtful(users: readonly UserEntry[], { groups }: Document): Diagnostic[] {
  const groupsBefore = new Set(groups.map(({ name }) => name));
  return users
    .filter(({ exact }) => exact?.exists !== false)
    .flatMap((user) => {
      const { name, primaryGroup, noUserGroup } = user;
      const why =
        name.length > LONGEST_NAME
          ? `its name has more than ${LONGEST_NAME} letters, which most releases of useradd refuse`
          : primaryGroup === undefined &&
              !noUserGroup &&
              (groupsBefore.has(name) || user.groups.includes(name))
            ? 'a group of its name is made before, and useradd would make one; name it as the primary group'
            : undefined;
      return why === undefined ? [] : [entry(`The user ${name} may not be made: ${why}.`, user)];
    });
}

/** useradd refuses the second. */
function sameIds(made: readonly UserEntry[]): Diagnostic[] {
  return made.flatMap((user, at) => {
    const first = made.slice(0, at).find(({ uid }) => uid !== undefined && uid === user.uid);
    if (first === undefined || first.name === user.name) return [];
    return [
      entry(`The user ${user.name} will not be made: its uid ${user.uid} is that of ${first.name}.`, user),
    ];
  });
}

function withoutHome({ name, noCreateHome, system, sshAuthorizedKeys }: UserEntry): string | undefined {
  const why = (noCreateHome && 'no_create_home') || (system && 'system');
  if (!why || sshAuthorizedKeys.length === 0) return undefined;
  return `The user ${name} will not be made: ${why} leaves it without a home directory, where its ssh_authorized_keys would go.`;
}

function badKeys({ name, sshAuthorizedKeys }: UserEntry): string | undefined {
  const bad = sshAuthorizedKeys.filter((line) => keyOf(line) === undefined).length;
  return bad === 0
    ? undefined
    : `${bad} of the SSH keys of the user ${name} are no public keys, and let nobody in.`;
}

function locked(user: UserEntry): string | undefined {
  if (user.lockPassword || user.plainPassword || user.passwordHash || user.initialPasswordHash)
    return undefined;
  return `The user ${user.name} stays locked although lock_passwd is false, unless the image has a password for it: none is given here.`;
}

function entry(message: string, { where }: UserEntry): Diagnostic {
  return entryAt('warning', where, 'AccountSettingIgnored', message);
}

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
    if (said !== undefined) found.push(badRule(user, said.line - HEAD, said.why));
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

function badRule({ name, where }: UserEntry, rule: number, why: string): Diagnostic {
  const message = `The user ${printable(name)} cannot have its sudo rules: rule ${rule} cannot be read (${why})`;
  return entryAt('warning', where, 'UserNotCreated', message);
}
