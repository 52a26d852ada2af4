import { digest } from '../../../kit/digest.ts';
import { Redactor } from '../../../secrets/redact.ts';
import { type Callers, findCallers } from '../../callers/find-callers.ts';
import type { Document, KubeadmCommand } from '../../document/document.ts';
import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { KubeadmCall } from '../../kubeadm/config/call.ts';
import type { InventoryOwner } from '../../kubeadm/repeat/inventory.ts';
import { awaitStart } from '../../startup/await-start.ts';
import { type SessionOptions, ShellSession } from '../shell/shell-session.ts';
import { type CommandShell, WindowsCommands } from '../shell/windows-commands.ts';

/** Is Slipway to see to the reboot, or does somebody else reboot the machine some day? */
export type AskReboot = (when: 'now' | 'by-others') => void;

/** What a step shares with the other steps of its sequence. */
export interface Shared {
  bootShell: CommandShell;
  /** The shell of the scripts that run at every boot. */
  scriptShell: CommandShell;
  shell: CommandShell;
  /** A command has asked for another boot, by an exit status of cloudbase-init's: nothing more is begun in this one. */
  askReboot?: AskReboot | undefined;
  /** What the end of a command that failed means for what comes after it. */
  afterFailedCommand: 'stop' | 'continue';
  /** The machine and the call of kubeadm that the steps are run for. */
  owner: InventoryOwner;
  /** Who calls kubeadm beside Slipway, by the user data. */
  callers: Callers | undefined;
  /** Where the scripts of commands lie that may go on in the background. */
  background(): string[];
  /** The last lines that the commands printed, without secrets. */
  printed(): string;
  /** Waits until the boot is done with starting the container runtime; a command may use it. Asked once. */
  runtimeStarted(signal: AbortSignal): Promise<void>;
  /** What is known of a call of kubeadm; the same object for every step. */
  call(command: KubeadmCommand): KubeadmCall;
}

/** UTF-16 units, several times what one attempt of kubeadm prints. */
const KEPT = 256 * 1024;
/** A shell that leaves something behind: `(sleep 9; kubeadm join) &`. */
const GOES_ON = /[^&>|]&[ \t]*(?:[)\n;}]|$)/;

/** Makes what the document's steps share; nothing is started yet. */
export function openShared(
  host: Host,
  document: Pick<Document, 'bootCommands' | 'commands'> &
    Partial<Pick<Document, 'files' | 'shell' | 'bootScripts' | 'onError' | 'units'>>,
  instance: string,
  output: SessionOptions['output'],
  askReboot?: AskReboot,
): Shared {
  const files = document.files ?? [];
  let printed = '';
  const Shell = host.platform === 'windows' ? WindowsCommands : ShellSession;
  const session = (kind: string, items: (string | undefined)[], shell?: string): CommandShell =>
    new Shell(host, {
      ...(shell === undefined ? {} : { shell }),
      // Another document is another script: its shell must not be taken for this one's.
      name: `${kind}-${digest(items.map((item) => item ?? null)).slice(0, 12)}`,
      items: items.map((shell) => ({ shell })),
      env: { INSTANCE_ID: instance },
      written: () => files.map(({ content }) => content.reveal()),
      redactor: () => new Redactor(),
      output(line, stream) {
        printed += `${line}\n`;
        if (printed.length > 2 * KEPT) printed = printed.slice(-KEPT);
        output(line, stream);
      },
    });
  const calls = new Map<KubeadmCommand, KubeadmCall>();
  let started: Promise<void> | undefined;
  const shell = session(
    'runcmd',
    document.commands.map((entry) => (entry.kind === 'command' ? entry.shell.reveal() : undefined)),
    document.shell,
  );
  return {
    callers: findCallers({ ...document, files }),
    background: () =>
      document.commands.some((entry) => entry.kind === 'command' && GOES_ON.test(entry.shell.reveal()))
        ? [`${shell.directory}/script`, `${STATE_DIR}/scripts/`]
        : [],
    printed: () => printed.slice(-KEPT),
    runtimeStarted(signal) {
      started ??= awaitStart(host, 'runtime', signal);
      return started;
    },
    call(command) {
      const call = calls.get(command) ?? new KubeadmCall(host, command);
      calls.set(command, call);
      return call;
    },
    askReboot,
    afterFailedCommand: document.onError ?? 'continue',
    owner: {
      instance,
      // Only kubeadm's step asks.
      get document() {
        return digest(files.map(({ path, content, append }) => [path, content.reveal(), append]));
      },
      written: files.map(({ path }) => path),
    },
    bootShell: session(
      'bootcmd',
      document.bootCommands.map(({ shell }) => shell.reveal()),
    ),
    scriptShell: session(
      'per-boot',
      (document.bootScripts ?? []).map(({ shell }) => shell.reveal()),
    ),
    shell,
  };
}
