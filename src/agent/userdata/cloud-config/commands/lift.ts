/**
 * Recognises the line that Cluster API's kubeadm provider writes into `runcmd`:
 * `kubeadm init|join --config FILE [--v N] && echo success > SENTINEL`.
 *
 * What is recognised is lifted out of the shell script and run by the engine, so a wrong "yes" would change what the
 * user asked for: only lines whose meaning is the same under every shell are lifted.
 */
import { parseInvocation } from '../../../kubeadm/config/invocation.ts';
import { shellTokens, type Token } from './shell-words.ts';

export interface LiftedKubeadm {
  verb: 'init' | 'join';
  /** Everything behind the verb; may hold a token, so treat it as secret. */
  args: string[];
  /** Value of `--config`, if given. */
  configPath?: string;
  /** File that the line writes `success` to, if it does. */
  sentinel?: string;
}

/** Where kubeadm is looked for in any case (see real-kubeadm.ts), so naming one of these is the same as not naming it. */
const PROGRAMS = new Set([
  'kubeadm',
  '/usr/local/bin/kubeadm',
  '/usr/bin/kubeadm',
  '/bin/kubeadm',
  '/opt/bin/kubeadm',
]);

/**
 * The kubeadm call in a shell line, or undefined when the line is anything else or more than that: environment
 * prefixes, sudo, pipes, expansions, other redirections, phases, dry runs. Never throws.
 */
export function liftKubeadm(shell: string): LiftedKubeadm | undefined {
  const tokens = shellTokens(shell);
  if (tokens === undefined) return undefined;
  const firstOperator = tokens.findIndex((token) => 'operator' in token);
  const call = firstOperator < 0 ? tokens : tokens.slice(0, firstOperator);
  const words = call.flatMap((token) => ('word' in token ? [token.word] : []));
  if (!PROGRAMS.has(words[0] ?? '')) return undefined;
  const invocation = parseInvocation(words.slice(1));
  if (invocation.kind !== 'bootstrap') return undefined;
  const { verb, args, configPath } = invocation;
  const lifted: LiftedKubeadm = { verb, args, ...(configPath === undefined ? {} : { configPath }) };
  if (firstOperator < 0) return lifted;
  const sentinel = sentinelOf(tokens.slice(firstOperator));
  return sentinel === undefined ? undefined : { ...lifted, sentinel };
}

/** The path in exactly `&& echo success > PATH`. */
function sentinelOf(tokens: Token[]): string | undefined {
  const shape = tokens.map((token) => ('word' in token ? token.word : token.operator));
  const kinds = tokens.map((token) => ('word' in token ? 'w' : 'o')).join('');
  const [and, echo, success, into, path] = shape;
  if (kinds !== 'owwow' || and !== '&&' || echo !== 'echo' || success !== 'success' || into !== '>')
    return undefined;
  return path !== undefined && isPlainFilePath(path) ? path : undefined;
}

/** Absolute, without `.` or `..` parts, and not among the kernel's own files, where "write a file" means something else. */
function isPlainFilePath(path: string): boolean {
  if (!path.startsWith('/') || path.endsWith('/')) return false;
  if (path.split('/').some((part) => part === '.' || part === '..')) return false;
  return !/^\/+(dev|proc|sys)\//.test(path);
}

/**
 * Does a shell text seem to bootstrap this machine with kubeadm, though it may be in a way that cannot be lifted? For a
 * warning, so it errs on the side of yes; `kubeadm init phase ...` and `kubeadm join --help` do not count, nor do lines
 * that only print the words. Never throws.
 */
export function mentionsKubeadmBootstrap(shell: string): boolean {
  for (const match of shell.matchAll(/(?:^|[\s;&|(){}`"'=/])kubeadm["']?((?:[ \t]|\\\n)[^\n;|&]*)/g)) {
    const before =
      shell
        .slice(0, match.index)
        .split(/[\n;|&]/)
        .at(-1) ?? '';
    if (/^\s*(echo|printf|#)/.test(before)) continue;
    const words = (match[1] ?? '').split(/[\s\\"']+/).filter((word) => word !== '');
    const verb = words.findIndex((word) => word === 'init' || word === 'join');
    if (verb < 0 || words.slice(0, verb).some((word) => /^[a-z]/.test(word) && word !== 'init')) continue;
    if (parseInvocation(words.slice(verb)).kind === 'bootstrap') return true;
  }
  return false;
}
