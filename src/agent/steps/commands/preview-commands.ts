import type { Diagnostic } from '../../document/document.ts';
import { windowsForm } from '../../text/scripts.ts';
import { entryAt, type PreviewContext } from '../kind/preview.ts';
import { failingCalls } from './failing-calls.ts';
import type { CommandSpec } from './title.ts';
import { unreadableCommands } from './unreadable-commands.ts';

/** All commands of a list share one shell, so they are judged together, with the call of kubeadm among them. */
export async function previewCommands(
  list: 'bootcmd' | 'runcmd',
  specs: readonly CommandSpec[],
  { document, moment, host }: PreviewContext,
): Promise<Diagnostic[]> {
  if (moment === 'check') return failingCalls(list, document);
  const foreign = list === 'runcmd' ? forWindows(specs) : [];
  if (moment === 'again') return foreign;
  const shell = list === 'runcmd' ? document.shell : undefined;
  return [
    ...foreign,
    ...(await unreadableCommands(host, list, document, shell)),
    ...failingCalls(list, document),
  ];
}

/** An error for each script that only Windows can run. */
function forWindows(specs: readonly CommandSpec[]): Diagnostic[] {
  const message =
    'This script is for Windows, and this machine is none; begin it with #!/bin/sh, or write a cloud-config';
  return specs
    .filter(({ command: { shell } }) => windowsForm(shell.reveal()) !== undefined)
    .map(({ command: { where } }) => entryAt('error', where, 'UserDataInvalid', message));
}
