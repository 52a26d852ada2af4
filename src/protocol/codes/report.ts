/**
 * Codes for what the reporter sees from outside: a bootstrap that died or never began, cloud-init's failures.
 */
import { entry } from './entry.ts';

export const reportCodes = () =>
  ({
    AgentKilled: entry(
      'agent',
      'transient',
      'The process that bootstraps this machine was killed before it had finished.',
      'Look for who killed it (out of memory: journalctl -k), then start it again (systemctl start slipway); it goes on where it stopped.',
    ),
    AgentCrashed: entry(
      'agent',
      'transient',
      'The process that bootstraps this machine ended by an error of its own and left no verdict.',
      'Read its last words (journalctl -u slipway, /var/log/cloud-init-output.log), report them, and start it again.',
    ),
    AgentHung: entry(
      'agent',
      'transient',
      'The process that bootstraps this machine is alive but has stopped working.',
      'Look whether it was stopped (kill -CONT) or waits for a disk (dmesg); else restart it (systemctl restart slipway).',
    ),
    BootstrapNotRun: entry(
      'agent',
      'permanent',
      'The boot has finished and nothing bootstrapped this machine as a node.',
      "Check that the machine's user data is the bootstrap data of Cluster API and that it runs kubeadm.",
    ),
    CloudInitFailed: entry(
      'runtime',
      'permanent',
      'cloud-init ended with errors before the machine was bootstrapped.',
      'Read /var/log/cloud-init.log and /var/log/cloud-init-output.log from the errors named here on.',
    ),
    ReportConfigInvalid: entry(
      'agent',
      'permanent',
      'A setting of the reporter cannot be used.',
      'Correct the line named (slipway report --check tells all of them); the other settings hold.',
    ),
    ConfigFileUnsafe: entry(
      'agent',
      'permanent',
      "Somebody else than root can change a file of Slipway's own configuration, so it is not used.",
      'Give the file and all directories on the way to it to root and take from others the right to write (chown root:root, chmod go-w), once you know who wrote it.',
    ),
  }) satisfies Record<string, ReturnType<typeof entry>>;
