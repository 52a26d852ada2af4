import { randomInt } from 'node:crypto';
import type { Diagnostic } from '../../../document/document.ts';
import type { PasswordSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import { machineToWarnOf, type PreviewContext, warningAt } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';
import { unknownOwner } from '../../tools/places.ts';
import { setOption } from './sshd-config.ts';

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;
const CONSOLE = '/dev/console';

/** Sets passwords of users that are there (cloud-init's `cc_set_passwords`). Nobody sees them in a process list. */
export const setPasswords: Work<PasswordSettings> = ({ users, expire }) => ({
  onFailure: 'continue',
  run: ({ host }) =>
    attempt(async () => {
      const made = users.map((user) => ({ ...user, text: user.password?.reveal() ?? random() }));
      await change(
        host,
        made.filter(({ isHash }) => !isHash),
        [],
      );
      await change(
        host,
        made.filter(({ isHash }) => isHash),
        ['-e'],
      );
      await show(
        host,
        made.filter(({ password }) => password === undefined),
      );
      if (expire)
        for (const { name } of made)
          await runTool(host, ['passwd', '--expire', name], {
            doing: `have the user ${name} choose another password`,
            code: 'UserNotCreated',
          });
      return `of ${made.map(({ name }) => name).join(', ')}`;
    }),
});

function random(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)] ?? '').join('');
}

async function change(
  host: Host,
  users: readonly { name: string; text: string }[],
  flags: string[],
): Promise<void> {
  if (users.length === 0) return;
  await runTool(host, ['chpasswd', ...flags], {
    doing: `set the passwords of ${users.map(({ name }) => name).join(', ')}`,
    code: 'UserNotCreated',
    input: users.map(({ name, text }) => `${name}:${text}\n`).join(''),
  });
}

/** The console is the one place where a random password can be read, and neither a log nor an event has it. */
async function show(host: Host, users: readonly { name: string; text: string }[]): Promise<void> {
  if (users.length === 0 || !(await host.files.stat(CONSOLE))) return;
  const lines = users.map(({ name, text }) => `${name}:${text}\r\n`);
  await host.files.writeDevice(
    CONSOLE,
    Buffer.from(`Set the following random passwords\r\n${lines.join('')}`),
  );
}

/** Users that are not there, and that no step makes. */
export async function previewPasswords(
  specs: readonly PasswordSettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  if (host === undefined) return [];
  const made = new Set(context.document.users.map(({ name }) => name));
  return specs
    .flatMap(({ users }) => users)
    .filter(({ name }) => !made.has(name) && unknownOwner(host.files, name) !== undefined)
    .map(({ name }) =>
      warningAt(
        context.document,
        ['chpasswd', 'password', 'passwords'],
        'UserNotCreated',
        `There is no user ${printable(name)} whom a password could be given, and none is made`,
      ),
    );
}

/** sshd's PasswordAuthentication; a running sshd reads its configuration anew. */
export const setPasswordLogin: Work<{ allowed: boolean }> = ({ allowed }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const isNew = await setOption(host, 'PasswordAuthentication', allowed ? 'yes' : 'no');
      if (isNew) await restart(host, signal);
      return isNew ? (allowed ? 'allowed' : 'forbidden') : 'as it was';
    }),
});

async function restart(host: Host, signal: AbortSignal): Promise<void> {
  if (!(await isSystemdRunning(host))) return;
  await runTool(
    host,
    [
      'systemctl',
      'try-restart',
      '--no-block',
      '--job-mode=ignore-dependencies',
      'ssh.service',
      'sshd.service',
    ],
    // A distribution has but one of the two.
    { doing: 'restart sshd', code: 'SystemSettingFailed', accept: [0, 5], signal },
  );
}
