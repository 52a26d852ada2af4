import type { Command } from '../../document/document.ts';

export interface CommandSpec {
  /** Its place in the shell's script. */
  index: number;
  command: Command;
}

/**
 * What people read of a command: its list, its place and its program, no argument.
 *
 * @param list What user data calls the list of commands.
 */
export const commandTitle = (list: string, { index, command }: CommandSpec): string =>
  `${list} ${index + 1} (${command.program})`;
