import type { Diagnostic, GroupEntry, Position, UserEntry } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { entryAt } from '../../kind/preview.ts';
import { findAccount, groupExists } from '../files/database.ts';

/** What every release and distribution takes. */
const PLAIN_NAME = /^[a-z_][a-z0-9_-]{0,31}$/;
const PLAIN_DATE = /^(?:\d{4}-\d\d-\d\d|\d+|-1|)$/;
/** A refusal comes at once. Whoever refuses nothing tries to lock files that are not there, for fifteen seconds. */
const ANSWER_MS = 400;
/** It is what they end with where an argument, or the name, is none. */
const REFUSED = 3;
/** Each is a process. */
const MOST = 8;
/** No directory is there, and none can be made. */
const NOWHERE = '/proc/slipway-asks-only';

type Asked = Pick<Host, 'files' | 'processes'>;
type Question = {
  what: string;
  argv: [string, ...string[]];
  where?: Position | undefined;
  isExact: boolean;
  isThere: (host: Asked) => Promise<boolean>;
};

/**
 * Names and dates that the machine's own useradd and groupadd refuse, which differ much in what they take. They are asked, for a
 * directory in which nothing can be made, and only of what is uncommon.
 */
export const refusedUsers = (host: Asked, users: readonly UserEntry[]): Promise<Diagnostic[]> =>
  askAll(host, users.flatMap(ofUser));

export const refusedGroups = (host: Asked, groups: readonly GroupEntry[]): Promise<Diagnostic[]> =>
  askAll(host, groups.flatMap(ofGroup));

async function askAll(host: Asked, questions: readonly Question[]): Promise<Diagnostic[]> {
  return (await Promise.all(questions.slice(0, MOST).map((question) => ask(host, question)))).flat();
}

function ofUser({ name, expiredate = '', where, exact }: UserEntry): Question[] {
  if (exact?.exists === false || (PLAIN_NAME.test(name) && PLAIN_DATE.test(expiredate))) return [];
  const date = expiredate === '' ? [] : ['--expiredate', expiredate];
  return [
    {
      what: `The user ${printable(name)}`,
      argv: ['useradd', '--prefix', NOWHERE, ...date, '--', name],
      where,
      isExact: exact !== undefined,
      isThere: async (host) => (await findAccount(host, name)) !== undefined,
    },
  ];
}

function ofGroup({ name, exact }: GroupEntry): Question[] {
  if (exact?.exists === false || PLAIN_NAME.test(name)) return [];
  return [
    {
      what: `The group ${printable(name)}`,
      argv: ['groupadd', '--prefix', NOWHERE, '--', name],
      isExact: exact !== undefined,
      isThere: (host) => groupExists(host, name),
    },
  ];
}

async function ask(host: Asked, { what, argv, where, isExact, isThere }: Question): Promise<Diagnostic[]> {
  if (await isThere(host)) return [];
  const { exitStatus, stderr, timedOut } = await host.processes.run({
    argv,
    env: { LC_ALL: 'C' },
    timeoutMs: ANSWER_MS,
  });
  if (timedOut || exitStatus !== REFUSED) return [];
  const said = printable(stderr.split('\n')[0]?.replace(/^\w+: /, '') ?? '').slice(0, 120);
  const message = `${what} cannot be made: ${argv[0]} of this machine would say "${said}"`;
  return [entryAt(isExact ? 'error' : 'warning', where, 'UserNotCreated', message)];
}
