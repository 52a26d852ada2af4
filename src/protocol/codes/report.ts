/**
 * Codes for what the reporter sees from outside: a bootstrap that died or never began, cloud-init's failures.
 */
import { tableOf } from './entry.ts';

export const reportCodes = () =>
  tableOf({
    AgentKilled: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The process that bootstraps this machine was killed before it had finished.',
      impact: 'The bootstrap is incomplete; it continues where it stopped when Slipway is started again.',
      fix: 'Find out what killed it (out of memory: journalctl -k), then start it again (systemctl start slipway).',
      check: 'Run slipway status --wait: it ends with success and no AgentKilled.',
      cure: {
        who: 'this-machine',
        why: 'The finished steps are recorded, so another start on this machine continues the work.',
      },
    },
    AgentCrashed: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The process that bootstraps this machine crashed and left no verdict.',
      impact:
        'Nothing is known of the bootstrap after its last record; it continues when Slipway is started again.',
      fix: 'Read its last log lines (journalctl -u slipway, /var/log/cloud-init-output.log), report them, and start it again.',
      check: 'Run slipway status --wait: it ends with a verdict instead of AgentCrashed.',
      cure: { who: 'this-machine', why: 'Another start continues after the last record.' },
    },
    AgentHung: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'The process that bootstraps this machine is alive but has stopped making progress.',
      impact: 'The machine does not become a node until the process continues or is restarted.',
      fix: 'Check whether it was stopped (kill -CONT) or waits for a disk (dmesg); otherwise restart it (systemctl restart slipway).',
      check: 'Run slipway status twice: the second call shows progress or a verdict.',
      cure: { who: 'this-machine', why: 'A restart on this machine continues after the last finished step.' },
    },
    BootstrapNotRun: {
      category: 'agent',
      persistence: 'permanent',
      meaning: 'The boot has finished, but nothing bootstrapped this machine as a node.',
      impact: 'The machine does not join; nothing on it retries.',
      fix: "Check that the machine's user data is the bootstrap data of Cluster API and that it runs kubeadm.",
      check: 'Run slipway plan --user-data FILE: it lists a kubeadm step.',
      cure: {
        who: 'template',
        why: 'Image and user data decide what runs at boot, on each machine of the group.',
      },
    },
    CloudInitFailed: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'cloud-init failed before the machine was bootstrapped.',
      impact: 'kubeadm did not run, and cloud-init does not retry.',
      fix: 'Read /var/log/cloud-init.log and /var/log/cloud-init-output.log from the errors shown here.',
      check: 'Run cloud-init status --long on the next machine: it shows status: done without errors.',
      cure: { who: 'template', why: 'cloud-init runs the same user data on each machine of the group.' },
    },
    ReportConfigInvalid: {
      category: 'agent',
      persistence: 'permanent',
      meaning: 'A setting of the reporter is not valid.',
      impact: 'The reporter ignores this setting and uses the others; the bootstrap itself continues.',
      fix: 'Correct the line named; slipway report --check lists every such line.',
      check: 'Run slipway report --check: it exits with status 0.',
      cure: { who: 'template', why: 'The settings come from the image or the user data.' },
    },
    ConfigFileUnsafe: {
      category: 'agent',
      persistence: 'permanent',
      meaning:
        "A user other than root can change one of Slipway's configuration files, so Slipway does not use it.",
      impact:
        'The settings in this file have no effect; Slipway stops at once if it cannot work without them.',
      fix: 'Find out who wrote the file. Then make root the owner of the file and of all its parent directories, and remove write permission for others (chown root:root, chmod go-w).',
      check: 'Run namei -l FILE: each part of the path belongs to root and is not group- or world-writable.',
      cure: {
        who: 'template',
        why: 'The image usually sets the owner and the mode.',
      },
    },
  });
