import type { Command } from 'commander';

/** What a shell or a manual needs to know of a command line, read off the one table of its commands and options. */
export interface CommandRow {
  name: string;
  description: string;
  options: OptionRow[];
  /** Names of the arguments, such as `file`. */
  arguments: string[];
  /** All that the first argument may be, where that is a choice between words. */
  choices?: readonly string[];
}

export interface OptionRow {
  /** `--output`, `-o`. */
  names: string[];
  /** Name of its value, such as `format`; absent where it takes none. */
  value?: string;
  description: string;
  /** What counts where it is not given. */
  fallback?: string;
}

export const HELP = { name: 'help', description: 'the same as COMMAND --help' };

/** The commands of a program in the order of its help. */
export function commandTable(program: Command): CommandRow[] {
  // Commander keeps its own command of this name to itself.
  const help = { name: HELP.name, description: HELP.description, arguments: ['command'], options: [] };
  const rows = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => argument.name()),
    ...choicesOf(command),
    options: command.options.map(({ flags, description, defaultValue }) => {
      const value = /[<[]([\w-]+)/.exec(flags)?.[1];
      const isPlain = typeof defaultValue === 'string' || Array.isArray(defaultValue);
      return {
        names: flags.split(/[ ,]+/).filter((word) => word.startsWith('-')),
        description,
        ...(value === undefined ? {} : { value }),
        ...(isPlain ? { fallback: String(defaultValue) } : {}),
      };
    }),
  }));
  return [...rows, help];
}

function choicesOf({ registeredArguments: [first] }: Command): Pick<CommandRow, 'choices'> {
  return first?.argChoices === undefined ? {} : { choices: first.argChoices };
}
