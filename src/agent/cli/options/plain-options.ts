/** One option as commander takes it: `--name <value>` or `--name`, what it is for, and its default. */
export type OptionRow = readonly [declaration: string, description: string, fallback?: string];

export const BOOTSTRAP_OPTIONS: readonly OptionRow[] = [
  [
    '--user-data <file>',
    'read user data from this file (- is standard input) instead of looking for a source',
  ],
  ['--meta-data <file>', 'instance metadata (YAML) that belongs to --user-data'],
  [
    '--network-config <file>',
    'network configuration of version 1 or 2, or network_data.json, for --user-data',
  ],
  ['--source <name>', 'ask this source and no other, such as ec2 or nocloud'],
  [
    '--root <dir>',
    'act below this directory, which you trust, instead of on this machine; its programs run in a chroot, as root',
    '/',
  ],
  [
    '--again',
    'do what has changed in the user data since the success, never kubeadm; or try anew what failed',
  ],
  [
    '--deadline <duration>',
    'give up after this much active time, e.g. 90s, 15m (else what node.yaml or the user data says, else 9m)',
  ],
  ['--output <format>', 'what standard output gets at the end: text or json', 'text'],
  ['--verbose', 'show the output of every command on a terminal too'],
  ['--cloudbase-init', "on Windows: end with cloudbase-init's exit codes for local scripts"],
];

export const PLAN_OPTIONS: readonly OptionRow[] = [
  [
    '--user-data <file>',
    'read user data from this file (- is standard input) instead of looking for a source',
  ],
  ['--meta-data <file>', 'instance metadata (YAML) that belongs to --user-data'],
  ['--network-config <file>', 'network configuration that belongs to --user-data'],
  ['--source <name>', 'ask this source and no other, such as ec2 or nocloud (docs/sources.md)'],
  ['--again', 'what bootstrap --again would do here: what has changed since the last success, or has failed'],
  [
    '--root <dir>',
    'look for user data below this directory, whose programs are asked in namespaces of their own, as root',
    '/',
  ],
  ['--output <format>', 'text or json', 'text'],
];

export const FACTS_OPTIONS: readonly OptionRow[] = [
  ['--root <dir>', 'look below this directory, such as a captured /proc and /sys', '/'],
  ['--output <format>', 'text or json', 'text'],
];

export interface ReportFlags {
  root: string;
  check?: boolean;
  test?: boolean;
}

export const REPORT_OPTIONS: readonly OptionRow[] = [
  ['--root <dir>', 'look below this directory instead of at this machine', '/'],
  ['--check', 'only read the settings, name what is wrong in them, and print those in force'],
  [
    '--test',
    'only try whether the controller can be told: name, route, TLS, certificate or token; spends and changes nothing',
  ],
];

export const CHECK_IN_OPTIONS: readonly OptionRow[] = [
  ['--root <dir>', 'act for the machine below this directory instead of this one', '/'],
];

/**
 * Reads options without the command line library, for commands that machines call at boot: it gives what the library
 * would give, at no cost, or undefined wherever the library may have something to say (help, a mistake, an abbreviation).
 */
export function readPlainOptions<Flags extends object>(
  words: readonly string[],
  options: readonly OptionRow[],
): Flags | undefined {
  const values: Record<string, string | boolean> = {};
  for (const [declaration, , fallback] of options) {
    if (fallback !== undefined) values[property(nameOf(declaration))] = fallback;
  }
  for (let index = 0; index < words.length; index += 1) {
    const [name = '', attached] = (words[index] ?? '').split(/=(.*)/s, 2);
    const declaration = options.map(([text]) => text).find((text) => nameOf(text) === name);
    if (declaration === undefined) return undefined;
    if (declaration === name) {
      if (attached !== undefined) return undefined;
      values[property(name)] = true;
      continue;
    }
    if (attached === undefined) index += 1;
    const value = attached ?? words[index];
    if (value === undefined || value === '' || value.startsWith('-')) return undefined;
    values[property(name)] = value;
  }
  return values as Flags;
}

/** The options of a command line that is plainly `slipway report`. @param argv what follows the program's name */
export function plainReportFlags(argv: readonly string[]): ReportFlags | undefined {
  return argv[0] === 'report' ? readPlainOptions<ReportFlags>(argv.slice(1), REPORT_OPTIONS) : undefined;
}

function nameOf(declaration: string): string {
  return declaration.split(' ', 1)[0] ?? '';
}

/** `--user-data` is `userData` among the values. */
function property(name: string): string {
  return name.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
