/**
 * Recognises the line that Cluster API's kubeadm provider writes into `runcmd`: `kubeadm init|join --config
 * FILE [--v N] && echo success > SENTINEL`, and a call of kubeadm with any flags, as a line or as a list of words.
 *
 * The engine takes such a command out of the shell script and runs it itself. A wrong "yes" would change what
 * the user asked for, so it accepts only lines that mean the same in every shell.
 */
import { parseInvocation } from '../../../kubeadm/config/invocation.ts';
import { shellTokens, type Token } from './shell-words.ts';
import { type Environment, isAssignment, unwrapCommand } from './unwrap-command.ts';

export interface LiftedKubeadm extends Environment {
  verb: 'init' | 'join';
  /** Everything after the verb; it may hold a token, so treat it as secret. */
  args: string[];
  /** The value of `--config`, if given. */
  configPath?: string;
  /** The file to which the line writes `success`, if any. */
  sentinel?: string;
}

/**
 * Slipway looks for kubeadm in these directories anyway (see real-kubeadm.ts), so a path there says no more
 * than the bare name.
 */
const PROGRAMS = new Set([
  'kubeadm',
  '/usr/local/bin/kubeadm',
  '/usr/bin/kubeadm',
  '/bin/kubeadm',
  '/opt/bin/kubeadm',
]);

/**
 * The kubeadm call in a shell line; undefined if the line is or contains anything else: pipes, expansions, other
 * redirections, phases, dry runs, a configuration by a relative path. Never throws.
 */
export function liftKubeadm(shell: string): LiftedKubeadm | undefined {
  const tokens = shellTokens(shell);
  if (tokens === undefined) return undefined;
  const firstOperator = tokens.findIndex((token) => 'operator' in token);
  const call = (firstOperator < 0 ? tokens : tokens.slice(0, firstOperator)).flatMap((token) =>
    'word' in token ? [token] : [],
  );
  const first = call.findIndex((token) => !isAssignment(token));
  const words = call.map(({ word }) => word);
  const lifted = first < 0 ? undefined : liftKubeadmCall(words.slice(first), words.slice(0, first));
  if (firstOperator < 0 || lifted === undefined) return lifted;
  const sentinel = sentinelOf(tokens.slice(firstOperator));
  return sentinel === undefined ? undefined : { ...lifted, sentinel };
}

/**
 * The kubeadm call that these words are, behind `env` or `sudo` or not; undefined where they are anything else. Never
 * throws.
 *
 * @param variables Set by the shell in front of them, as `NAME=value`
 */
export function liftKubeadmCall(
  called: readonly string[],
  variables: readonly string[] = [],
): LiftedKubeadm | undefined {
  const behind = unwrapCommand(called, variables);
  const [program = '', ...words] = behind?.words ?? [];
  const invocation = PROGRAMS.has(program) ? parseInvocation(words) : undefined;
  if (behind === undefined || invocation?.kind !== 'bootstrap') return undefined;
  const { verb, args, configPath } = invocation;
  // Only the shell knows from where it leads.
  if (configPath !== undefined && !WHOLE_PATH.test(configPath)) return undefined;
  return { verb, args, ...(configPath === undefined ? {} : { configPath }), ...behind.environment };
}

/** Of Windows too. */
const WHOLE_PATH = /^(?:\/|[A-Za-z]:[\\/])/;

/** The path in exactly `&& echo success > PATH`. */
function sentinelOf(tokens: Token[]): string | undefined {
  const shape = tokens.map((token) => ('word' in token ? token.word : token.operator));
  const kinds = tokens.map((token) => ('word' in token ? 'w' : 'o')).join('');
  const [and, echo, success, into, path] = shape;
  if (kinds !== 'owwow' || and !== '&&' || echo !== 'echo' || success !== 'success' || into !== '>')
    return undefined;
  return path !== undefined && isPlainFilePath(path) ? path : undefined;
}

/** Absolute, without `.` and `..`, and outside the kernel's own files, where writing has side effects. */
function isPlainFilePath(path: string): boolean {
  if (!path.startsWith('/') || path.endsWith('/')) return false;
  if (path.split('/').some((part) => part === '.' || part === '..')) return false;
  return !/^\/+(dev|proc|sys)\//.test(path);
}
