import { LOADER_VARIABLES } from '../../../../kit/environment.ts';

/** The default PATH, if the agent's own environment has none (early boot). */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The agent's environment with `changes`; undefined removes a variable. PATH is always set. What loads code into a program
 * is not handed on.
 */
export function childEnvironment(changes: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: process.env.PATH || DEFAULT_PATH };
  for (const name of LOADER_VARIABLES) delete env[name];
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

/** The arguments that run `argv` with `root` as its `/`. */
export function inRoot(root: string, argv: readonly [string, ...string[]]): [string, ...string[]] {
  return root === '/' ? [...argv] : ['chroot', root, ...argv];
}
