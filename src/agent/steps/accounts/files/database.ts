import type { Host } from '../../../host/host.ts';

type Asked = Pick<Host, 'files' | 'processes'>;

export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** Looks a user up in /etc/passwd, then in the machine's other user databases (LDAP, systemd-homed). */
export async function findAccount(host: Asked, name: string): Promise<Account | undefined> {
  const fields = (await findLine(host, '/etc/passwd', name)) ?? (await ask(host, 'passwd', name));
  if (!fields) return undefined;
  return { name, uid: Number(fields[2]), gid: Number(fields[3]), home: fields[5] ?? '' };
}

export async function groupExists(host: Asked, name: string): Promise<boolean> {
  return ((await findLine(host, '/etc/group', name)) ?? (await ask(host, 'group', name))) !== undefined;
}

/** The members that /etc/group lists; a group does not list those for whom it is the primary group. */
export async function listedMembers(host: Asked, group: string): Promise<string[]> {
  const members = (await findLine(host, '/etc/group', group))?.[3] ?? '';
  return members.split(',').filter((member) => member !== '');
}

/** The password field of /etc/shadow; undefined if the user has no line there. */
export async function passwordField(host: Asked, name: string): Promise<string | undefined> {
  return (await findLine(host, '/etc/shadow', name))?.[1];
}

async function findLine(host: Asked, file: string, name: string): Promise<string[] | undefined> {
  const text = (await host.files.readIfPresent(file))?.toString('utf8') ?? '';
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name);
}

/** Without getent, a machine has its users in /etc/passwd alone. */
async function ask(host: Asked, database: string, name: string): Promise<string[] | undefined> {
  if (!(await host.processes.which('getent'))) return undefined;
  const { exitStatus, stdout } = await host.processes.run({
    argv: ['getent', database, name],
    timeoutMs: 30_000,
  });
  const [line = ''] = stdout.split('\n');
  return exitStatus === 0 && line !== '' ? line.split(':') : undefined;
}
