/** What a call of `kubeadm` asks for: bootstrapping this machine, or anything else. */
import { isAbsolute, resolve } from 'node:path';
import { flagIsSet, flagValue, parseFlags } from './flags.ts';

type Invocation = { kind: 'pass-through' } | BootstrapCall;

export interface BootstrapCall {
  kind: 'bootstrap';
  verb: 'init' | 'join';
  /** Everything behind the verb, unchanged; may hold a token. */
  args: string[];
  /** Value of `--config`, if given. */
  configPath?: string;
}

/**
 * Decides for an argument vector (without the program's name) whether it is a bootstrap that Slipway takes
 * over.
 *
 * Only `init` and `join` as the very first word qualify, without the `phase` subcommand and without a flag
 * that makes them show something instead of doing it. All else, including what kubeadm would refuse, passes
 * straight through, so that kubeadm itself answers. Never throws.
 */
export function parseInvocation(argv: readonly string[]): Invocation {
  const [verb, ...args] = argv;
  if (verb !== 'init' && verb !== 'join') return { kind: 'pass-through' };
  const flags = parseFlags(args);
  if (flags.positional[0] === 'phase') return { kind: 'pass-through' };
  for (const name of ['help', 'dry-run', 'print-join-command']) {
    if (flagIsSet(flags, name)) return { kind: 'pass-through' };
  }
  const configPath = flagValue(flags, 'config');
  return { kind: 'bootstrap', verb, args, ...(configPath === undefined ? {} : { configPath }) };
}

/** The same arguments with another path of the configuration. */
export function withConfig(args: readonly string[], from: string, to: string): string[] {
  return args.map((arg, index) => {
    if (arg === `--config=${from}`) return `--config=${to}`;
    return arg === from && args[index - 1] === '--config' ? to : arg;
  });
}

/**
 * The same call with the whole path of its configuration, which is read at many places, and again after a reboot. What is not absolute is meant from
 * where the agent was called.
 */
export function withAbsoluteConfigPath(call: BootstrapCall): BootstrapCall {
  const { args, configPath } = call;
  if (configPath === undefined || isAbsolute(configPath)) return call;
  const whole = resolve(configPath);
  return { ...call, args: withConfig(args, configPath, whole), configPath: whole };
}

/** A list of words, as Python and JSON write it: `["kubeadm", "join", ...`. */
const AS_LIST = /["'](?:\/[^"'\s]{0,500}\/)?kubeadm["'],\s{0,100}["'](?:init|join)["']/;
/** A variable that holds the program: `$KUBEADM join`. */
const BY_VARIABLE =
  /\$\{?KUBEADM(?:_\w{0,50})?\}?["']?[ \t]{1,100}(?:init|join)\b(?![ \t]{1,100}(?:phase|--help|-h)\b)/;

/**
 * Tells whether a shell text seems to bootstrap this machine with kubeadm, even if `liftKubeadm` cannot
 * accept it. It serves a warning, so it tends to say yes; but `kubeadm init phase ...`, `kubeadm join --help`
 * and lines that only print the words do not count. Never throws.
 */
export function mentionsKubeadmBootstrap(shell: string): boolean {
  // Mostly it has no such word, and V8 compiles a pattern when it is asked for the first time.
  if (!shell.includes('kubeadm')) return shell.includes('KUBEADM') && BY_VARIABLE.test(shell);
  if (AS_LIST.test(shell) || BY_VARIABLE.test(shell)) return true;
  // Each place is looked at once, however many calls stand in one text.
  let [begin, seen] = [0, 0];
  for (const match of shell.matchAll(
    /(?<=^|[\s;&|(){}`"'=/\\])kubeadm(?:\.exe)?["']?((?:[ \t]|\\\n)[^\n;|&]*)/g,
  )) {
    const between = shell.slice(seen, match.index);
    const separator = Math.max(...['\n', ';', '|', '&'].map((sign) => between.lastIndexOf(sign)));
    if (separator !== -1) begin = seen + separator + 1;
    seen = match.index;
    if (/^\s*(echo|printf|#)/.test(shell.slice(begin, match.index))) continue;
    const words = (match[1] ?? '').split(/[\s\\"']+/).filter((word) => word !== '');
    const verb = words.findIndex((word) => word === 'init' || word === 'join');
    if (verb < 0 || words.slice(0, verb).some((word) => /^[a-z]/.test(word) && word !== 'init')) continue;
    if (parseInvocation(words.slice(verb)).kind === 'bootstrap') return true;
  }
  return false;
}
