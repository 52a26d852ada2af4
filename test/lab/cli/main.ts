import { CommanderError } from 'commander';
import { program } from './program.ts';

/** Run the lab's command line; returns the exit status: 0, the command's own (`exec`), 1 failed, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<number> {
  let status = 0;
  try {
    const setStatus = (code: number): void => {
      status = code;
    };
    await program(setStatus).parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    // commander has said it all already
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const said = error instanceof Error ? error.message : String(error);
    process.stderr.write(`lab: ${said}\n`);
    if (process.env.SLIPWAY_LAB_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}
