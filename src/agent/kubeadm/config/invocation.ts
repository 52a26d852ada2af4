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
