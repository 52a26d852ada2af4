/**
 * What a shell of commands leaves to the next one, and to kubeadm: its exported variables and its directory,
 * in files. The one place that knows their names.
 */
import type { Host } from '../../host/host.ts';

interface StateFiles {
  env: string;
  cwd: string;
}

/** The state with which the next shell, or kubeadm, begins. */
export const FIRST_STATE: StateFiles = { env: 'env', cwd: 'cwd' };

/**
 * The state after item `ended`. Two in turn: the one of the last `end` mark is always whole, whenever the
 * shell was killed.
 */
export function stateAfter(ended: number): StateFiles {
  return { env: `env.${ended % 2}`, cwd: `cwd.${ended % 2}` };
}

/** Lines of a shell that take the state over where there is one. */
export function takeOver(directory: string): string {
  const env = `"${directory}/${FIRST_STATE.env}"`;
  return `if [ -r ${env} ]; then . ${env}; fi\n${takePlace(directory)}`;
}

function takePlace(directory: string): string {
  const cwd = `"${directory}/${FIRST_STATE.cwd}"`;
  return `if [ -r ${cwd} ]; then cd "$(cat ${cwd})"; fi`;
}

/**
 * The same program, which begins with the state: a command before it may have exported proxy settings or
 * changed PATH.
 *
 * @param own Variables that it has of itself, which the state does not change. Their values come in `held`: what runs before the
 *   program takes none of them over, and no process shows them among its arguments.
 * @param exports Whether it gets what was exported, or no more than the directory
 */
export function inheriting(
  directory: string,
  argv: [string, ...string[]],
  { own = {}, exports = true }: { own?: Readonly<Record<string, string>>; exports?: boolean } = {},
): [string, ...string[]] {
  const script = [
    exports ? takeOver('$1') : takePlace('$1'),
    ...Object.keys(own).map((name, at) => `export ${name}="$${HELD}${at}"; unset ${HELD}${at}`),
    'shift',
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', script.join('\n'), 'slipway-kubeadm', directory, ...argv];
}

/** The environment that holds `own` until the program begins. */
export function held(own: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.values(own).map((value, at) => [`${HELD}${at}`, value]));
}

const HELD = 'slipway_';

/** Directories of every PATH that the shell has exported. */
export async function exportedPath(host: Host, directory: string): Promise<string[]> {
  const found = await exported(host, directory, 'PATH');
  return found.flatMap((value) => value.split(':').filter((path) => path.startsWith('/')));
}

/** Every value of the variable that the shell has exported. */
export async function exported(host: Host, directory: string, name: string): Promise<string[]> {
  const found: string[] = [];
  const form = new RegExp(`^(?:export|declare -x) ${name}=(['"]?)(.*?)\\1$`, 'm');
  for (const { env } of [FIRST_STATE, stateAfter(0), stateAfter(1)]) {
    const text = (await host.files.readIfPresent(`${directory}/${env}`))?.toString('utf8') ?? '';
    const value = form.exec(text)?.[2];
    if (value !== undefined) found.push(value);
  }
  return found;
}
