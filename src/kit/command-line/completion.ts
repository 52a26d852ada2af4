import type { CommandRow, OptionRow } from './command-table.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Words that a value of this name may be, such as `format`: `text`, `json`. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** Names of values that are files or directories of the machine. */
const FILES = ['file', 'dir'];

/** The text that teaches a shell the words of a command line. */
export function completion(shell: Shell, name: string, table: readonly CommandRow[], values: Values): string {
  return { bash, zsh, fish }[shell](name, table, values);
}

const functionName = (name: string): string => `_${name.replaceAll('-', '_')}`;
/** What stands behind a command: its own choice of words, or values by the name of each argument. */
const wordsOf = (row: CommandRow, values: Values): Values =>
  row.choices === undefined ? values : { ...values, [row.arguments[0] ?? '']: row.choices };
const namesOf = (options: readonly OptionRow[]): string[] => options.flatMap(({ names }) => names);

function bash(name: string, table: readonly CommandRow[], values: Values): string {
  const files = 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
  const answer = (value: string, words = values) =>
    FILES.includes(value)
      ? `${files}; return`
      : `mapfile -t COMPREPLY < <(compgen -W '${(words[value] ?? []).join(' ')}' -- "$cur"); return`;
  const cases = table.flatMap((row) => [
    `    ${row.name})`,
    '      case $prev in',
    ...row.options.flatMap(({ names, value }) =>
      value === undefined ? [] : [`        ${names.join('|')}) ${answer(value)} ;;`],
    ),
    '      esac',
    `      words='${[...namesOf(row.options), '--help'].join(' ')}'`,
    ...row.arguments.map(
      (argument) => `      [[ $cur == -* ]] || { ${answer(argument, wordsOf(row, values))}; }`,
    ),
    '      ;;',
  ]);
  return `# Completion of ${name} for bash: source <(${name} completion bash)
${functionName(name)}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word words=
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  COMPREPLY=()
  case $command in
    '') words='${[...table.map((row) => row.name), '--help', '--version'].join(' ')}' ;;
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F ${functionName(name)} ${name}
`;
}

function zsh(name: string, table: readonly CommandRow[], values: Values): string {
  const escaped = (text: string) => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''");
  const what = (value: string, words = values) =>
    `${value}:${FILES.includes(value) ? '_files' : `(${(words[value] ?? []).join(' ')})`}`;
  const spec = ({ names, value, description }: OptionRow) =>
    names.map(
      (option) => `'${option}[${escaped(description)}]${value === undefined ? '' : `:${what(value)}`}'`,
    );
  const cases = table.map(
    (row) =>
      `      ${row.name}) _arguments ${[
        ...row.options.flatMap(spec),
        "'--help[show the help]'",
        ...row.arguments.map((argument) => `'*:${what(argument, wordsOf(row, values))}'`),
      ].join(' ')} ;;`,
  );
  return `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh), or as _${name} in a folder of $fpath
${functionName(name)}() {
  local state line
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(${table.map((row) => `'${row.name}:${escaped(row.description)}'`).join(' ')})
      _describe command commands ;;
    argument)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = ${functionName(name)} ]; then ${functionName(name)} "$@"; else compdef ${functionName(name)} ${name}; fi
`;
}

function fish(name: string, table: readonly CommandRow[], values: Values): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const what = (value: string, words = values) =>
    FILES.includes(value) ? '-F' : `-a ${quoted((words[value] ?? []).join(' '))}`;
  const begun = (row: CommandRow) => `complete -c ${name} -n '__fish_seen_subcommand_from ${row.name}'`;
  const lines = table.flatMap((row) => [
    `complete -c ${name} -n __fish_use_subcommand -a ${row.name} -d ${quoted(row.description)}`,
    ...row.arguments.map((argument) => `${begun(row)} ${what(argument, wordsOf(row, values))}`),
    ...row.options.map(({ names, value, description }) => {
      const options = names.map((option) => option.replace(/^--(.*)/, '-l $1').replace(/^-(\w)$/, '-s $1'));
      return `${begun(row)} ${options.join(' ')}${value === undefined ? '' : ` -r ${what(value)}`} -d ${quoted(description)}`;
    }),
  ]);
  return `# Completion of ${name} for fish: ${name} completion fish | source
complete -c ${name} -f
${lines.join('\n')}
`;
}
