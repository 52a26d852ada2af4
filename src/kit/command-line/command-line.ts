import type { Command } from 'commander';
import { visibleOutput } from '../terminal/visible.ts';
import { HELP } from './command-table.ts';
import type { Values } from './completion.ts';
import type { Manual } from './man-page.ts';

/** Bad arguments; of the agent the same status as bad user data. */
const USAGE_STATUS = 2;

/** What the shell and the manual are told beyond the table of commands. */
export interface Words extends Pick<Manual, 'more' | 'after'> {
  values?: Values;
  /** Makes the help of all commands more than their options. */
  addHelp?: (program: Command) => void;
}

/**
 * Runs the command that is named, or shows the help. Every program has the commands `help`, `completion` and `man` too,
 * which are made of the others.
 *
 * @param describe names the commands, whose actions tell their exit status
 * @returns the exit status
 */
export async function runCommandLine(
  name: string,
  argv: readonly string[],
  describe: (program: Command, conclude: (status: number) => void) => void,
  words: Words = {},
): Promise<number> {
  const { Command, CommanderError } = await import('commander');
  let status = 0;
  const conclude = (result: number) => {
    status = result;
  };
  const program = new Command()
    .name(name)
    .usage('COMMAND [options]')
    .configureOutput({
      outputError: (text, write) => write(visibleOutput(text.replace(/^error: /, `${name}: `))),
    })
    .showHelpAfterError(`  See: ${name} --help`)
    .exitOverride()
    .addHelpCommand(
      new Command(HELP.name).argument('[command]').description(HELP.description).helpGroup('About:'),
    );
  describe(program, conclude);
  addShellCommands(program, conclude, words);
  for (const command of program.commands)
    command.showHelpAfterError(`  See: ${name} ${command.name()} --help`);
  words.addHelp?.(program);
  const [first = '--help', asked] = argv;
  const isKnown = program.commands.some((command) => command.name() === asked) || asked === HELP.name;
  // For the help of a command that there is not, commander shows everything else, and does not say so.
  const given = first === HELP.name && asked !== undefined && !isKnown ? [asked] : [first, ...argv.slice(1)];
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE_STATUS;
  }
  return status;
}

function addShellCommands(program: Command, conclude: (status: number) => void, words: Words): void {
  program
    .command('completion')
    .description('print shell completion: source <(PROGRAM completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .helpGroup('About:')
    .action(async (given: string) => {
      const { completion, SHELLS } = await import('./completion.ts');
      const { commandTable } = await import('./command-table.ts');
      const shell = SHELLS.find((known) => known === given);
      if (shell === undefined) {
        process.stderr.write(`${program.name()}: ${given} is not one of ${SHELLS.join(', ')}\n`);
        return conclude(USAGE_STATUS);
      }
      const commands = commandTable(program);
      const values = { ...words.values, shell: SHELLS, command: commands.map((row) => row.name) };
      process.stdout.write(completion(shell, program.name(), commands, values));
    });
  program
    .command('man')
    .description('print the manual page: PROGRAM man | man -l -')
    .helpGroup('About:')
    .action(async () => {
      const { manPage } = await import('./man-page.ts');
      const { commandTable } = await import('./command-table.ts');
      const { values: _, addHelp: __, ...texts } = words;
      process.stdout.write(
        manPage({
          name: program.name(),
          summary: program.description(),
          commands: commandTable(program),
          ...texts,
        }),
      );
    });
}
