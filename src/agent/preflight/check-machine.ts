import type { Expectations } from '../document/node-settings.ts';
import type { Host } from '../host/host.ts';
import type { CallReading } from '../kubeadm/config/read-call.ts';
import { readInventory } from '../kubeadm/repeat/inventory.ts';
import { expectations } from './checks/system/expectations.ts';
import { prepare } from './prepare.ts';
import { queryVersions, type Versions } from './query-versions.ts';
import { type PreflightResult, runPreflight } from './run-checks.ts';

interface MachineTask {
  /** How Slipway will call kubeadm; undefined where the machine is checked without user data. */
  call?: CallReading | undefined;
  instance: string;
  mend: boolean;
  /** A command after kubeadm may give the machine another address. */
  addressMayCome?: boolean;
  searchPath?: string[];
  expect?: Expectations | undefined;
  /** Where they are known already. */
  versions?: Versions;
}

/**
 * Checks the configuration and the machine, in about a second. Below a root directory it checks only the
 * configuration, because a node will have another kernel. If the configuration is unreadable, nobody knows
 * how kubeadm will be called, and kubeadm's own complaint says more than the machine could; what the machine is expected to
 * be does not rest on that.
 */
export async function checkMachine(host: Host, task: MachineTask): Promise<PreflightResult> {
  const started = host.clock.monotonic();
  const { call, instance, mend, expect } = task;
  const { kubelet, ...installed } = task.versions ?? (await queryVersions(host));
  const { findings, ...about } =
    call === undefined ? { ...installed, findings: [] } : prepare(call, installed.kubeadmMinor);
  const attempted = (await readInventory(host, instance)) !== undefined;
  const isReadable = call === undefined || about.config !== undefined;
  const machine =
    host.root === '/'
      ? await runPreflight(
          host,
          {
            ...about,
            ...(kubelet && { kubelet }),
            attempted,
            mend,
            addressMayCome: task.addressMayCome ?? false,
            searchPath: task.searchPath ?? [],
            ...(expect && { expect }),
          },
          isReadable ? undefined : [expectations],
        )
      : { findings: [], unanswered: [] };
  return {
    findings: [...installed.findings, ...findings, ...machine.findings],
    unanswered: machine.unanswered,
    ms: host.clock.monotonic() - started,
  };
}
