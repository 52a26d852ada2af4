import type { Diagnostic, Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { unreadableCommands } from '../steps/commands/unreadable-commands.ts';
import { windowsForm } from '../text/scripts.ts';

/**
 * Commands that bash, where it is at hand, cannot read: it takes what other shells take, and more. A warning, as only the machine
 * itself has the last word, in a plan.
 */
export async function shellSyntaxWarnings(
  host: Pick<Host, 'platform' | 'processes'>,
  document: Document,
): Promise<Diagnostic[]> {
  const bash = host.platform === 'windows' ? undefined : await host.processes.which('bash');
  const { shell, commands, bootCommands } = document;
  const isOther = shell !== undefined && !/\/(?:ba)?sh$/.test(shell);
  const isForWindows = [...bootCommands, ...commands].some(
    (entry) => entry.kind === 'command' && windowsForm(entry.shell.reveal()) !== undefined,
  );
  if (bash === undefined || isOther || isForWindows) return [];
  const found = [
    ...(await unreadableCommands(host, 'bootcmd', document, bash)),
    ...(await unreadableCommands(host, 'runcmd', document, bash)),
  ];
  return found.map((entry) => ({ ...entry, severity: 'warning' }));
}
