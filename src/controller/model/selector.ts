export type MachineRole = 'control-plane' | 'worker';

/** Which Machines of a namespace a pool's token may tie; what is absent admits any. */
export interface MachineSelector {
  /** Name of the Cluster. */
  readonly cluster?: string;
  readonly role?: MachineRole;
  /** `Kind/name` of what made the Machine: a MachineDeployment, MachineSet, MachinePool, KubeadmControlPlane ... */
  readonly owner?: string;
  /** The Machine's own name. */
  readonly machine?: string;
}

/** What a selector looks at. */
export interface Selected {
  readonly name: string;
  readonly cluster: string;
  readonly role: MachineRole;
  readonly owners: readonly string[];
}

export function isSelected(
  { cluster, role, owner, machine }: MachineSelector,
  { name, ...of }: Selected,
): boolean {
  return (
    (cluster === undefined || cluster === of.cluster) &&
    (role === undefined || role === of.role) &&
    (owner === undefined || of.owners.includes(owner)) &&
    (machine === undefined || machine === name)
  );
}

/** For logs and tables: `cluster=a role=worker`; empty where it admits any. */
export function selectorText(selector: MachineSelector): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}
