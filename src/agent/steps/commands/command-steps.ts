import { redact } from '../../../secrets/redact.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { type CommandSpec, commandTitle } from './title.ts';

/** @param word What user data calls the list of commands. */
const inList = (word: string): Omit<StepKind<CommandSpec, CommandSpec>, 'name' | 'work'> => ({
  plan: (spec) => [{ id: `${word}/${spec.index + 1}`, title: commandTitle(word, spec), spec }],
  details: ({ command }) => command.shell.reveal().split('\n').map(redact),
});

/** Kinds of steps that run commands of the user data: `bootcmd`, the scripts of every boot, `runcmd`. */
export const bootCommand: StepKind<CommandSpec, CommandSpec> = {
  ...inList('bootcmd'),
  name: 'boot-command',
  preview: async (specs, context) =>
    (await import('./preview-commands.ts')).previewCommands('bootcmd', specs, context),
  work: async () => (await import('./command.ts')).runBootCommand,
};

export const bootScript: StepKind<CommandSpec, CommandSpec> = {
  ...inList('per-boot'),
  name: 'boot-script',
  work: async () => (await import('./command.ts')).runBootScript,
};

export const command: StepKind<CommandSpec, CommandSpec> = {
  ...inList('runcmd'),
  name: 'command',
  preview: async (specs, context) =>
    (await import('./preview-commands.ts')).previewCommands('runcmd', specs, context),
  work: async () => (await import('./command.ts')).runCommand,
};
