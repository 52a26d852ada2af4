import type { Host } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';

const SUDOERS = '/etc/sudoers';
const DIRECTORY = '/etc/sudoers.d';
/** cloud-init's file, so that a machine never has two. */
const FILE = `${DIRECTORY}/90-cloud-init-users`;
const MODE = 0o440;

/**
 * Gives a user its sudo rules, once (cloud-init's `write_sudo_rules`). It writes no rules that visudo
 * refuses: a broken file would take sudo away from everybody.
 *
 * @throws Problem UserNotCreated
 */
export async function writeSudoRules(host: Host, user: string, rules: readonly string[]): Promise<void> {
  const present = (await host.files.readIfPresent(FILE))?.toString('utf8');
  const wanted = withRules(present, user, rules);
  if (wanted !== present) {
    await check(host, user, withRules(undefined, user, rules));
    await includeDirectory(host);
    await host.files.write(FILE, wanted, { mode: MODE });
  } else await includeDirectory(host);
}

/** The file's text with the rules of `user`; unchanged if it has them. */
export function withRules(present: string | undefined, user: string, rules: readonly string[]): string {
  const block = ['', `# User rules for ${user}`, ...rules.map((rule) => `${user} ${rule}`), ''].join('\n');
  if (present === undefined) return `# Made by Slipway from the user data of this machine\n${block}`;
  return present.includes(block) ? present : present + block;
}

/** The text of /etc/sudoers with an include of the directory; unchanged if it has one. */
export function withInclude(sudoers: string): string {
  const included = sudoers
    .split('\n')
    .map((line) => /^\s*[#@]includedir\s+"?([^"]*?)"?\s*$/.exec(line)?.[1]?.replace(/\/+$/, ''));
  if (included.includes(DIRECTORY)) return sudoers;
  const gap = sudoers === '' || sudoers.endsWith('\n') ? '' : '\n';
  return `${sudoers}${gap}\n# Added by Slipway\n#includedir ${DIRECTORY}\n`;
}

async function includeDirectory(host: Host): Promise<void> {
  if (!(await host.files.stat(DIRECTORY))) await host.files.mkdir(DIRECTORY, 0o750);
  const own = await host.files.readIfPresent(SUDOERS);
  // Some distributions have the vendor's file in /usr/etc and none in /etc.
  const sudoers = (own ?? (await host.files.readIfPresent(`/usr${SUDOERS}`)))?.toString('utf8') ?? '';
  const wanted = withInclude(sudoers);
  if (wanted !== sudoers || (own === undefined && sudoers === '')) {
    await host.files.write(SUDOERS, wanted, { mode: MODE });
  }
}

async function check(host: Host, user: string, text: string): Promise<void> {
  if (!(await host.processes.which('visudo'))) return;
  const { exitStatus, stdout, stderr } = await host.processes.run({
    // Not strictly: a rule may name aliases that other files have.
    argv: ['visudo', '--check', '--file=-'],
    env: { LC_ALL: 'C' },
    input: text,
    timeoutMs: 30_000,
  });
  if (exitStatus === 0) return;
  const said = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '');
  const cause = `The sudo rules of the user ${user} are not valid, so none was written: ${said[0] ?? 'visudo refused them'}`;
  throw new StepError('UserNotCreated', cause, { exitStatus, lines: said.slice(0, 3) });
}
