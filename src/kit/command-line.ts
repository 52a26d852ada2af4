import type { Command } from 'commander';

/** Bad arguments. The agent uses the same status for bad user data. */
const USAGE_STATUS = 2;

/**
 * Runs the command that `argv` names; shows the help if `argv` is empty.
 *
 * @param describe declares the commands; each command's action reports its exit status
 * @returns the exit status
 */
export async function runCommandLine(
  name: string,
  argv: readonly string[],
  describe: (program: Command, conclude: (status: number) => void) => void,
): Promise<number> {
  const { Command, CommanderError } = await import('commander');
  let status = 0;
  const program = new Command()
    .name(name)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .showHelpAfterError(`  See: ${name} --help`)
    .exitOverride()
    .helpCommand(false);
  describe(program, (result) => {
    status = result;
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE_STATUS;
  }
  return status;
}
