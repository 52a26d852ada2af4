import type { PlannedStep } from '../../steps/kind/step-kind.ts';

const NODE = 'a machine that has joined is not joined again; a change of it takes a new machine';
const DISKS = 'disks and file systems that are in use are not made again';
const BOOT = 'a node that works is not started anew for its kernel';
const ONCE = 'it belongs to the first boot';

/** Kinds of steps that are not done again, each with its reason; all others are. */
const REASONS: Readonly<Record<string, string>> = {
  kubeadm: NODE,
  'kubeadm-patches': NODE,
  'static-pods': NODE,
  preflight: NODE,
  ready: NODE,
  hostname: 'the Node goes by its name',
  network: 'the network is not changed below a node that works',
  disks: DISKS,
  filesystems: DISKS,
  partitionings: DISKS,
  arrays: DISKS,
  encryptions: DISKS,
  volumes: DISKS,
  'kernel-arguments': BOOT,
  growPartitions: DISKS,
  growRoot: DISKS,
  swap: DISKS,
  hostKeys: ONCE,
  randomSeed: ONCE,
  phoneHome: ONCE,
  finalMessage: ONCE,
};

/** Why a step of this kind is left as it is; undefined for one that is done again. */
export function whyNotRepeated({ kind }: Pick<PlannedStep, 'kind'>): string | undefined {
  return REASONS[kind];
}

/**
 * Kinds of steps that a boot does as the user data is now: what belongs to every boot, and `network`, which follows the
 * configuration as slipway-network.service does. `left-call`, `perhaps-node` and `ready` only look, and `sentinel` only writes
 * what is not there.
 */
const OF_EVERY_BOOT: readonly string[] = [
  ...['boot-command', 'boot-script', 'growPartitions', 'growRoot', 'hosts', 'finalMessage'],
  ...['network', 'left-call', 'perhaps-node', 'ready', 'sentinel'],
];

/** Does a boot of a node do this step, though it is new or changed? */
export function isOfEveryBoot({ kind }: Pick<PlannedStep, 'kind'>): boolean {
  return OF_EVERY_BOOT.includes(kind);
}
