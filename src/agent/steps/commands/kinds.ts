import { redact } from '../../../kit/redact.ts';
import type { Command } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';

interface CommandSpec {
  /** Its place in the shell's script. */
  index: number;
  command: Command;
}

/** @param word What user data calls the list of commands. */
const inList = (word: string): Omit<StepKind<CommandSpec, CommandSpec>, 'name' | 'work'> => ({
  plan: (spec) => {
    const number = spec.index + 1;
    return [{ id: `${word}/${number}`, title: `${word} ${number} (${spec.command.program})`, spec }];
  },
  details: ({ command }) => command.shell.reveal().split('\n').map(redact),
});

export const bootCommand: StepKind<CommandSpec, CommandSpec> = {
  ...inList('bootcmd'),
  name: 'boot-command',
  work: async () => (await import('./command.ts')).runBootCommand,
};

export const command: StepKind<CommandSpec, CommandSpec> = {
  ...inList('runcmd'),
  name: 'command',
  work: async () => (await import('./command.ts')).runCommand,
};
