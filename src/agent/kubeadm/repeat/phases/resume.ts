/**
 * Whether kubeadm may go on instead of beginning anew. A control plane whose last phase failed because an API server
 * hiccuped keeps its files and above all its etcd member. kubeadm goes on only from phases that are known to be
 * repeatable. After an unknown phase it begins anew, which is right for every phase.
 */
import type { Phase } from './discover.ts';

/** Phases that write to the cluster what may be written twice, and need nothing but the node that is there by then. */
const REPEATABLE: Readonly<Record<'init' | 'join', readonly string[]>> = {
  init: [
    'upload-config',
    'upload-certs',
    'mark-control-plane',
    'bootstrap-token',
    'kubelet-finalize',
    'addon',
    'show-join-command',
  ],
  join: [
    'kubelet-wait-bootstrap',
    'control-plane-join/update-status',
    'control-plane-join/mark-control-plane',
    'wait-control-plane',
  ],
};

/** Adding the etcd member: never to be run a second time. By version it has the one name or the other, or is hidden. */
export const ETCD_PHASES = ['control-plane-join/etcd', 'etcd-join'] as const;

/** Is going on from this phase possible at all? */
export function isRepeatable(verb: 'init' | 'join', phase: string | undefined): boolean {
  return (
    phase !== undefined && REPEATABLE[verb].some((known) => phase === known || phase.startsWith(`${known}/`))
  );
}

export function isEtcdPhase(phase: string | undefined): boolean {
  return ETCD_PHASES.some((name) => name === phase);
}

/**
 * What to skip in order to go on with `failed`: all phases before it. Undefined if the list does not have it, because
 * nobody knows then what comes before.
 */
export function phasesBefore(phases: readonly Phase[], failed: string): string[] | undefined {
  const index = phases.findIndex(({ path }) => path === failed);
  if (index < 0) return undefined;
  const group = failed.includes('/') ? failed.slice(0, failed.indexOf('/')) : undefined;
  return phases
    .slice(0, index)
    .map(({ path }) => path)
    .filter((path) => path !== group && (!path.includes('/') || path.startsWith(`${group}/`)));
}

/**
 * What to skip in order to go on after this machine's etcd member was added, when nobody knows where kubeadm stopped: all
 * phases up to the one that adds it. If that one is hidden, it comes before `control-plane-join`.
 */
export function phasesThroughEtcd(phases: readonly Phase[]): string[] | undefined {
  const shown = phases.findLast(({ path }) => isEtcdPhase(path))?.path;
  if (shown !== undefined) return [...(phasesBefore(phases, shown) ?? []), shown];
  const first = phases.find(({ path }) => path.startsWith('control-plane-join/'))?.path;
  return first === undefined ? undefined : phasesBefore(phases, first);
}

/**
 * Does kubeadm still wait for the kubelet's certificate when these phases are skipped? Later releases do so after the phase
 * that adds the etcd member, because the kubelet of a control plane asks its own API server.
 */
export function waitsForKubelet(phases: readonly Phase[], skip: readonly string[]): boolean {
  return phases.some(({ path }) => path === 'kubelet-wait-bootstrap' && !skip.includes(path));
}
