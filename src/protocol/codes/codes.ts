/**
 * The table of codes: what can go wrong, whether it can pass by itself, and what a person can do.
 *
 * A code never changes: it becomes the reason of a Machine's condition, and people alert on it. `slipway
 * explain CODE` and docs/codes.md show this table.
 */

import { controlPlaneCodes } from './control-plane.ts';
import { discoveryCodes } from './discovery.ts';
import { type CodeEntry, entry, finding } from './entry.ts';
import { identityCodes } from './identity.ts';
import { kubeadmCodes } from './kubeadm.ts';
import { kubeletCodes } from './kubelet.ts';
import { machineCodes } from './machine.ts';
import { tableOnWindows } from './on-windows.ts';
import { preflightCodes } from './preflight.ts';
import { reportCodes } from './report.ts';
import { secretCodes } from './secrets.ts';

export type { Persistence } from './entry.ts';

const table = () =>
  ({
    UserDataNotFound: entry(
      'user data',
      'transient',
      'No source of user data answered on this machine.',
      'Attach a NoCloud seed (a volume labelled cidata, or files in /var/lib/cloud/seed/nocloud), name the source with --source or in /etc/slipway/sources.yaml, or name a file with --user-data.',
    ),
    UserDataUnreadable: entry(
      'user data',
      'permanent',
      'What should hold the user data is there, and cannot be read.',
      'Give a plain file that Slipway may read: no directory, disk or socket, and no pipe into which nobody writes.',
    ),
    MetadataUnreachable: entry(
      'user data',
      'transient',
      "The cloud's metadata service does not answer yet, or no route leads to it.",
      'Look at the address and the routes of the machine (ip route get 169.254.169.254) and at what the cloud says of its metadata service. Slipway asks again until its deadline.',
    ),
    MetadataRefused: entry(
      'user data',
      'permanent',
      'The source of user data is there and refuses to give them, or its metadata is damaged.',
      'Switch the metadata service on for the instance, or correct what the message names. With --source another source is asked.',
    ),
    SourceNotServed: entry(
      'user data',
      'transient',
      'Slipway could not report to the cloud that the machine is ready, or could not delete the user data at its source.',
      'Look at the network of the machine: on Azure it must reach 168.63.129.16, or the provisioning of the machine fails after some 20 minutes. The next start of Slipway tries again.',
    ),
    UserDataWiped: entry(
      'user data',
      'permanent',
      'The user data lost their secrets after an earlier bootstrap had succeeded, so nothing can be made of them again.',
      'Give the machine new user data, with a new join token. To keep them for more than one bootstrap, say wipe: false in /etc/slipway/node.yaml or below slipway in the user data.',
    ),
    NothingToRepeat: entry(
      'user data',
      'permanent',
      'slipway bootstrap --again does what has changed since a bootstrap that succeeded, or tries one anew that failed, and there is none that these user data could follow.',
      'Bootstrap the machine first: slipway bootstrap. What changes for another instance takes a new machine.',
    ),
    MetadataServesSecrets: finding(
      'user data',
      'The metadata service goes on to serve the user data, with the secrets in them, to whoever reaches it.',
      'Keep pods away from it: on AWS demand tokens (http-tokens: required) with a hop limit of 1; elsewhere deny its address to pods, by a network policy or a firewall rule for forwarded packets, and then say metadata: guarded in /etc/slipway/node.yaml. Give join tokens a short life.',
    ),
    UserDataEmpty: entry(
      'user data',
      'permanent',
      'The user data is empty.',
      'Check that the bootstrap data secret has a value and that the infrastructure provider passes it to the machine.',
    ),
    UserDataMakesNoNode: entry(
      'user data',
      'permanent',
      'Nothing in the user data runs, so no node would come of it; or a command looks like a misspelt call of kubeadm.',
      'Call kubeadm in runcmd of a cloud-config, or in a unit or a script that a unit runs in an Ignition config. Where no node is wanted, say slipway: {kubeadm: none} in a cloud-config, or kubeadm: none in /etc/slipway/node.yaml, which counts for every format.',
    ),
    IgnitionHasRun: entry(
      'user data',
      'permanent',
      "Ignition acts upon this machine's user data itself, so Slipway must not do it a second time.",
      'On images with Ignition use shim mode (slipway install --shim instead of --service); kubeadm.service then calls Slipway.',
    ),
    UserDataTooLarge: entry(
      'user data',
      'permanent',
      'The user data is larger or deeper than Slipway accepts.',
      'Keep it below 16 MiB, below 64 MiB after decompression, and nested less than 128 levels deep; move large files into the image.',
    ),
    UserDataFormatUnknown: entry(
      'user data',
      'permanent',
      'The user data is in no format that Slipway knows.',
      'Give what the message says. User data begin with #cloud-config (after an optional "## template: jinja" line), or are a MIME multipart that holds such a part, a script that begins with #!, or an Ignition config in JSON.',
    ),
    UserDataUndecodable: entry(
      'user data',
      'permanent',
      'The user data is damaged: its compression or encoding cannot be undone.',
      'Compare it with the bootstrap data secret; a truncated or twice encoded value is the usual reason.',
    ),
    UserDataNotUtf8: entry(
      'user data',
      'permanent',
      'The user data is no text in UTF-8.',
      'Save it as UTF-8 without byte order mark (iconv -f UTF-16 -t UTF-8, or -f LATIN1). Compressed, it must be gzip, and handed over as bytes or as base64 of them: a field for text changes bytes.',
    ),
    UserDataSyntax: entry(
      'user data',
      'permanent',
      'The user data is not valid YAML or JSON.',
      'Correct the line named, as the message says, where the user data comes from (with Cluster API, in the KubeadmConfig or its template).',
    ),
    UserDataTemplate: entry(
      'user data',
      'permanent',
      'The jinja template in the user data cannot be rendered.',
      'Correct the expression at the line named; use only variables that the instance metadata has, and in labels what slipway facts shows.',
    ),
    UserDataInvalid: entry(
      'user data',
      'permanent',
      'The user data is well-formed but a value in it is not usable.',
      'Correct the value at the line named.',
    ),
    UserDataIgnoredKey: finding(
      'user data',
      'The user data has a key that Slipway ignores, or a value that does not mean what it appears to mean.',
      'Write it as the message says, or remove it and do what it asks for in a command or in the image.',
    ),
    FileNotWritten: entry(
      'runtime',
      'permanent',
      'A file of the user data could not be written.',
      'Check the path, its owner and the file system named.',
    ),
    DiskFull: entry(
      'runtime',
      'transient',
      'The file system has no space left, or no inodes.',
      'Remove what fills it (df -h for space, df -i for inodes), or give the machine a larger disk.',
    ),
    FileSystemReadOnly: entry(
      'runtime',
      'permanent',
      'The file system is read-only.',
      'Mount it writable, or move the path to a writable file system; look for disk errors in the kernel log.',
    ),
    FileAccessDenied: entry(
      'runtime',
      'permanent',
      'A program may not read or write a file of this machine.',
      'Run kubeadm as root; where that was so, look for what SELinux or AppArmor has refused (ausearch -m avc -ts recent, journalctl -k), and correct the labels (restorecon -R), the owner or the mode of the path named.',
    ),
    CommandFailed: entry(
      'runtime',
      'permanent',
      'A command of the user data ended with an error.',
      'Read the lines of its output given here, and correct the command.',
    ),
    CommandEndedScript: entry(
      'runtime',
      'permanent',
      'A command ended the script before all commands had run (exit, set -e, a syntax error, or a here-document whose end is missing).',
      'Correct the command named; the ones after it were not run.',
    ),
    Interrupted: entry(
      'agent',
      'transient',
      'The agent was told to stop before it had finished.',
      'Start it again (systemctl start slipway); it goes on where it stopped.',
    ),
    AgentBusy: entry(
      'agent',
      'transient',
      'Another slipway process is at work on this machine.',
      'Wait for it (slipway status --wait).',
    ),
    DeadlineExceeded: entry(
      'agent',
      'permanent',
      'The deadline passed before the node was bootstrapped.',
      'Read what failed last, where it is given here; raise --deadline only if the machine is merely slow.',
    ),
    JournalNotWritten: entry(
      'agent',
      'transient',
      'The journal in /var/lib/slipway could not be written.',
      'Free space on that file system or mount it writable, then start the agent again.',
    ),
    JournalDamaged: entry(
      'agent',
      'permanent',
      'The journal in /var/lib/slipway lost records: lines of it could not be read, or are gone.',
      'Check the disk of the machine (dmesg, smartctl); if the machine is no node, start it anew from a fresh image.',
    ),
    OutcomeNotWritten: entry(
      'agent',
      'transient',
      'The verdict in /run/slipway/outcome.json could not be written.',
      'Free space in /run, then start the agent again; it finds what was done and writes the verdict.',
    ),
    SentinelNotWritten: entry(
      'agent',
      'until-deadline',
      'kubeadm has succeeded and the machine is a node, but the sentinel that Cluster API waits for cannot be written.',
      'Make its directory writable (findmnt -T /run/cluster-api; df -h /run) and leave the node as it is: Slipway tries again without calling kubeadm, and slipway bootstrap does so after the deadline.',
    ),
    InternalError: entry(
      'agent',
      'permanent',
      'Slipway itself failed in a way that it does not know.',
      'Report it with the output of slipway status --output json.',
    ),
    KubeadmNotFound: entry(
      'preflight',
      'permanent',
      'There is no kubeadm on this machine.',
      'Put kubeadm into the image, in a directory of PATH.',
    ),
    ...machineCodes(),
    ...reportCodes(),
    ...secretCodes(),
    ...preflightCodes(),
    ...kubeadmCodes(),
    ...discoveryCodes(),
    ...controlPlaneCodes(),
    ...kubeletCodes(),
    ...identityCodes(),
    Unclassified: entry(
      'agent',
      'until-deadline',
      'kubeadm failed in a way that is not in the table of codes.',
      'Read the last lines of its output given here.',
    ),
  }) satisfies Record<string, CodeEntry>;

let made: ReturnType<typeof table> | undefined;

/** The table. Made when somebody asks for it first: a bootstrap that succeeds never does. */
export function codes(): ReturnType<typeof table> {
  made ??= process.platform === 'win32' ? tableOnWindows(table()) : table();
  return made;
}

export type Code = keyof ReturnType<typeof table>;
