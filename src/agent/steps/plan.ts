import { digest } from '../../kit/digest.ts';
import type { Document, FileEntry, KubeadmCommand } from '../document/document.ts';
import { additionsAfter, additionsBefore, nodeSteps } from '../plan/node-steps.ts';
import type { PlannedStep } from '../plan/planned-step.ts';
import { count, step } from './kind/step-kind.ts';

/**
 * The steps that make of a machine what the document asks for, in the order in which cloud-init's modules run:
 * bootcmd, write_files, disk_setup and fs_setup, mounts, hostname, users, ntp, deferred files, runcmd. What the node is given
 * around kubeadm comes before the commands, which may need it.
 *
 * Pure: the same document gives the same steps, ids and digests on every machine.
 */
export function plan(document: Document): PlannedStep[] {
  const { files, users, groups, disks, filesystems, mounts, hostname, ntp } = document;
  const early = files.filter(({ defer }) => !defer);
  const deferred = files.filter(({ defer }) => defer);
  const steps: (PlannedStep | undefined)[] = [
    ...document.bootCommands.map((command, index) =>
      step('boot-command', `bootcmd/${index + 1}`, `bootcmd ${index + 1} (${command.program})`, {
        index,
        command,
      }),
    ),
    early.length > 0
      ? step('files', 'files', `write ${count(early.length, 'file')}`, { entries: early })
      : undefined,
    disks.length > 0
      ? step('disks', 'disks', `partition ${count(disks.length, 'disk')}`, { entries: disks })
      : undefined,
    filesystems.length > 0
      ? step('filesystems', 'filesystems', `make ${count(filesystems.length, 'file system')}`, {
          entries: filesystems,
        })
      : undefined,
    mounts.length > 0
      ? step('mounts', 'mounts', `mount ${count(mounts.length, 'file system')}`, { entries: mounts })
      : undefined,
    hostname ? step('hostname', 'hostname', `set the host name to ${hostname.name}`, hostname) : undefined,
    groups.length > 0
      ? step('groups', 'groups', `create ${count(groups.length, 'group')}`, { entries: groups })
      : undefined,
    users.length > 0
      ? step('users', 'users', `create ${count(users.length, 'user')}`, { entries: users })
      : undefined,
    ntp ? step('ntp', 'ntp', 'set up time synchronisation', ntp) : undefined,
    deferred.length > 0
      ? step('files', 'files/deferred', `write ${count(deferred.length, 'deferred file')}`, {
          entries: deferred,
        })
      : undefined,
    ...nodeSteps(document),
    ...document.commands.flatMap((command, index) =>
      command.kind === 'kubeadm'
        ? kubeadmSteps(index, command, configFiles(files, command.configPath), document)
        : step('command', `runcmd/${index + 1}`, `runcmd ${index + 1} (${command.program})`, {
            index,
            command,
          }),
    ),
    document.commands.some(({ kind }) => kind === 'kubeadm')
      ? step('ready', 'ready', 'see the node become Ready', {})
      : undefined,
  ];
  return steps.filter((planned) => planned !== undefined);
}

/**
 * What a call of kubeadm takes: a look at the machine, as it is after the commands before, and the call itself.
 *
 * @param more What else makes it another call: the content of its configuration.
 */
export function kubeadmSteps(
  index: number,
  command: KubeadmCommand,
  more: unknown,
  { preflight, node }: Pick<Document, 'preflight' | 'node'> = {},
): PlannedStep[] {
  const mend = preflight?.mend ?? false;
  return [
    ...additionsBefore(command, node?.kubeadm),
    step('preflight', 'preflight', 'check the machine', { command, mend }, more),
    step('kubeadm', 'kubeadm', `kubeadm ${command.verb}`, { index, command }, more),
    ...additionsAfter(command, node?.kubeadm),
  ];
}

/** Digest of a whole plan. */
export function planDigest(steps: readonly PlannedStep[]): string {
  return digest(steps.map(({ id, digest: content }) => [id, content]));
}

/** A kubeadm step is another one when the configuration it reads has changed, though its command line has not. */
function configFiles(files: FileEntry[], path: string | undefined): unknown {
  return files.filter((file) => file.path === path).map((file) => file.content.reveal());
}
