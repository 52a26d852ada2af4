/**
 * How kubeadm's command line is read: which flags of `init` and `join` stand alone, so that a flag's value is
 * never taken for a subcommand. Everything not listed takes a value, which is also what kubeadm's own flag
 * library assumes of a flag that it does not know while it looks for the subcommand.
 */

/** Flags of kubeadm 1.20 to 1.34 that take no separate value. */
const BOOLEAN_FLAGS = new Set([
  'add-dir-header',
  'allow-missing-template-keys',
  'alsologtostderr',
  'control-plane',
  'discovery-token-unsafe-skip-ca-verification',
  'dry-run',
  'experimental-control-plane',
  'experimental-upload-certs',
  'force',
  'help',
  'logtostderr',
  'one-output',
  'print-join-command',
  'show-managed-fields',
  'skip-certificate-key-print',
  'skip-headers',
  'skip-log-headers',
  'skip-token-print',
  'upload-certs',
]);

export interface ParsedFlags {
  /** Flag name without dashes to its values in order; a flag that stands alone has the value `true`. */
  values: Map<string, string[]>;
  /** What is neither a flag nor a flag's value. */
  positional: string[];
}

/**
 * Reads GNU-style flags as kubeadm does: `--name value`, `--name=value`, `-v5`, `-v 5`, `--` ends them. Never
 * throws.
 */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const values = new Map<string, string[]>();
  const positional: string[] = [];
  const add = (name: string, value: string): void => {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') {
      positional.push(...args.slice(i + 1));
      break;
    }
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=');
      if (equals > 0) add(arg.slice(2, equals), arg.slice(equals + 1));
      else if (BOOLEAN_FLAGS.has(arg.slice(2))) add(arg.slice(2), 'true');
      else add(arg.slice(2), args[++i] ?? '');
    } else if (arg.startsWith('-') && arg.length > 1) {
      const name = arg[1] === 'h' ? 'help' : arg.slice(1, 2);
      if (name === 'help') add(name, 'true');
      else if (arg.length > 2) add(name, arg.slice(arg[2] === '=' ? 3 : 2));
      else add(name, args[++i] ?? '');
    } else {
      positional.push(arg);
    }
  }
  return { values, positional };
}

/** Last value of a flag, as the flag library has it; undefined when absent or empty. */
export function flagValue(flags: ParsedFlags, name: string): string | undefined {
  const value = flags.values.get(name)?.at(-1);
  return value === undefined || value === '' ? undefined : value;
}

/** Values of a list flag, which may be repeated and may hold commas. */
export function flagList(flags: ParsedFlags, name: string): string[] {
  return (flags.values.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

/** Is a flag that stands alone set? `--x=false` counts as not set. */
export function flagIsSet(flags: ParsedFlags, name: string): boolean {
  const value = flags.values.get(name)?.at(-1);
  return value !== undefined && !/^(false|False|FALSE|f|F|0)$/.test(value);
}
