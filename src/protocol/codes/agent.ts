/** Codes for the agent itself, and for running what the user data asks for. */
import { tableOf } from './entry.ts';

export const agentCodes = () =>
  tableOf({
    FileNotWritten: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'A file from the user data could not be written.',
      impact: 'Later steps may need the file, so they do not run; Slipway stops at once.',
      fix: 'Check the path, its owner and the file system named.',
      check: 'Run slipway bootstrap --again, then slipway status: the files step is done.',
      cure: {
        who: 'template',
        why: "The path and owner are the template's; a bad disk in one machine is less common.",
      },
    },
    DiskFull: {
      category: 'runtime',
      persistence: 'transient',
      meaning: 'The file system has no free space or no free inodes.',
      impact: 'Files and images cannot be written; Slipway retries until its deadline.',
      fix: 'Remove what fills it (df -h for space, df -i for inodes), or give the machine a larger disk.',
      check: 'Check free space and inodes again (df -h for space, df -i for inodes): neither is at 100 %.',
      cure: {
        who: 'template',
        why: 'The disk size and what the image puts on it are the same for each machine.',
      },
    },
    FileSystemReadOnly: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'A file system that must be written to is read-only.',
      impact: 'The step that writes there failed; Slipway stops at once.',
      fix: 'Mount it writable, or move the path to a writable file system; look for disk errors in the kernel log.',
      check: 'Create and remove a file in the directory named: both succeed.',
      cure: {
        who: 'template',
        why: 'Images usually mount such a path read-only for every machine; a disk error on one machine is less common.',
      },
    },
    FileAccessDenied: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'A program was denied access to a file on this machine.',
      impact: 'The program that needs the file failed; Slipway stops at once.',
      fix: 'Run kubeadm as root. If it already runs as root, look for what SELinux or AppArmor has refused (ausearch -m avc -ts recent, journalctl -k), and correct the labels (restorecon -R), the owner or the mode of the path named.',
      check: 'Run slipway bootstrap --again: the same step is done and reports no denied access.',
      cure: { who: 'template', why: 'Labels, owners and modes come with the image or the user data.' },
    },
    CommandFailed: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'A command in the user data failed.',
      impact: "Slipway reports the command's own output and stops at once.",
      fix: 'Read the output lines shown here, and correct the command.',
      check:
        'Run the command on a machine by hand: it exits with status 0; slipway status then shows its step as done.',
      cure: {
        who: 'template',
        why: 'Every machine of the group runs this command.',
      },
    },
    CommandEndedScript: {
      category: 'runtime',
      persistence: 'permanent',
      meaning:
        'A command ended the script before all commands had run (exit, set -e, a syntax error, or a here-document without its end marker).',
      impact: 'The commands after it did not run, so the machine is incomplete; Slipway stops at once.',
      fix: 'Correct the command named, so that the script reaches its end.',
      check:
        'Run sh -n on the script for its syntax, then slipway bootstrap --again: slipway status shows every command as done.',
      cure: { who: 'template', why: 'The script is the same on each machine of the group.' },
    },
    Interrupted: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The agent was asked to stop before it had finished.',
      impact: 'The bootstrap is incomplete; Slipway continues where it stopped when it is started again.',
      fix: 'Start it again (systemctl start slipway).',
      check: 'Run slipway status --wait: it ends with a verdict.',
      cure: {
        who: 'this-machine',
        why: 'The finished steps are kept, so another start on this machine is enough.',
      },
    },
    AgentBusy: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'Another slipway process is already running on this machine.',
      impact: 'This call did nothing; the other process continues.',
      fix: 'Wait for the other process with slipway status --wait.',
      check: 'Run slipway status: it no longer shows a running bootstrap.',
      cure: { who: 'this-machine', why: 'The process that is running finishes the work.' },
    },
    DeadlineExceeded: {
      category: 'agent',
      persistence: 'permanent',
      meaning: 'The deadline passed before the node was bootstrapped.',
      impact: 'The machine has not become a node; Slipway makes no further attempt.',
      fix: 'Read which failure came last, if one is shown here, and fix that; raise --deadline only if the machine is merely slow.',
      check: 'Run slipway bootstrap again: slipway status shows success before the deadline.',
      cure: {
        who: 'this-machine',
        why: 'An outage often delays many machines at once, and a replacement would wait too; the failure before it says more.',
      },
    },
    JournalNotWritten: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The journal in /var/lib/slipway could not be written.',
      impact: 'Slipway does not run a step that it cannot record; it retries after another start.',
      fix: 'Free space on that file system or mount it writable, then start the agent again.',
      check: 'Run slipway status: it shows records of the new start.',
      cure: {
        who: 'this-machine',
        why: "The journal is on this machine's disk, and its content remains valid.",
      },
    },
    JournalDamaged: {
      category: 'agent',
      persistence: 'permanent',
      meaning: 'The journal in /var/lib/slipway lost records: lines of it are unreadable or missing.',
      impact: 'Slipway cannot know which steps ran, so it repeats none and stops at once.',
      fix: "Check the machine's disk (dmesg, smartctl). If the machine is not a node, recreate it from a fresh image.",
      check: 'Run slipway status on the new machine: it shows every step and no JournalDamaged.',
      cure: {
        who: 'another-machine',
        why: 'The records are lost with this disk; a replacement starts with an empty journal.',
      },
    },
    OutcomeNotWritten: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The verdict in /run/slipway/outcome.json could not be written.',
      impact: 'The bootstrap may have succeeded, but nothing can read its result; the next start retries.',
      fix: 'Free space in /run, then start the agent again; it finds which steps are done and writes the verdict.',
      check: 'Run slipway status --output json: it prints the verdict.',
      cure: { who: 'this-machine', why: 'The steps are done here, and only the file is missing.' },
    },
    SentinelNotWritten: {
      category: 'agent',
      persistence: 'until-deadline',
      meaning:
        'kubeadm has succeeded and the machine is a node, but the sentinel that Cluster API waits for cannot be written.',
      impact:
        'Cluster API does not see that the bootstrap succeeded; Slipway retries until its deadline without calling kubeadm.',
      fix: 'Make its directory writable (findmnt -T /run/cluster-api; df -h /run) and leave the node as it is. After the deadline, run slipway bootstrap.',
      check: 'Run ls /run/cluster-api/bootstrap-success.complete: it prints the path.',
      cure: {
        who: 'this-machine',
        why: 'The machine is a working node, and replacing it would remove that node.',
      },
    },
    InternalError: {
      category: 'agent',
      persistence: 'permanent',
      meaning: 'Slipway failed because of a defect of its own.',
      impact: 'The bootstrap is incomplete; Slipway stops at once.',
      fix: 'Report it with the output of slipway status --output json.',
      check: 'Bootstrap a machine with the corrected release of Slipway: slipway status shows success.',
      cure: {
        who: 'template',
        why: 'The same release with the same user data probably fails again.',
      },
    },
    Unclassified: {
      category: 'agent',
      persistence: 'until-deadline',
      meaning: 'kubeadm failed in a way that is not in the table of codes.',
      impact: 'The machine has not become a node; Slipway retries until its deadline.',
      fix: 'Read the last lines of its output shown here, and fix what they name.',
      check: 'Run slipway status: the kubeadm step is done.',
      cure: {
        who: 'this-machine',
        why: 'The cause is not known, so nothing shows that a replacement would help.',
      },
    },
  });
