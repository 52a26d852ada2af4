import { type CallerActivity, CallerWatch } from '../../callers/caller-activity.ts';
import { SENTINEL } from '../../document/paths.ts';
import { CodedError, failed, failure } from '../../engine/failure.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import type { Shared } from '../kind/shared.ts';
import type { Work } from '../kind/step-kind.ts';
import { putSentinels } from '../sentinel/write-sentinel.ts';
import { hasKubeadmFailed, whyNoNode } from './why-no-node.ts';

export interface NodeSpec {
  verb: 'init' | 'join';
}

const LOOK_MS = 1000;
/** A caller that has just ended may have started another program that does not show itself yet. */
const QUIET_LOOKS = 3;
const KUBELET_CONFIG = '/etc/kubernetes/kubelet.conf';

/**
 * For user data that is known to make a node, by a call of kubeadm that is not Slipway's own: waits for the kubelet's
 * certificate as long as a caller is at work. Without the certificate the bootstrap has failed, whatever the commands said.
 */
export const seeNode: Work<NodeSpec> = ({ verb }, shared) => ({
  attempts: Number.POSITIVE_INFINITY,
  holds: (host) => isNode(host, verb),
  decides: true,
  run: (context) => awaitNode(verb, context, shared),
  settled: async (host, isDone) => (isDone ? keepSentinel(host) : undefined),
});

/**
 * For user data that only runs programs which nobody has read: looks once. Where a kubelet is configured, its certificate
 * decides as above; where none is, nothing is known, and nothing is claimed.
 */
export const lookForNode: Work<Record<string, never>> = (_, shared) => ({
  attempts: Number.POSITIVE_INFINITY,
  holds: (host) => isNode(host, 'join'),
  decides: true,
  async run(context) {
    const { host, finding } = context;
    if (host.root !== '/') return { done: true };
    if ((await host.files.stat(KUBELET_CONFIG)) !== undefined) return awaitNode('join', context, shared);
    await finding({ severity: 'warning', code: 'NotKnownToMakeANode', message: NOT_KNOWN });
    return { done: true, message: 'no kubelet is configured' };
  },
  async settled(host, isDone) {
    if (isDone && (await isNode(host, 'join'))) await keepSentinel(host);
  },
});

const NOT_KNOWN = `All commands have run, and ${KUBELET_CONFIG} does not exist. Nothing in the user data is known to make a node, so whether this machine was to become one is not known. Secrets were left in place, and no sentinel was written.`;

/** Below a root directory no kubelet runs, and nothing gets a certificate. */
const isNode = async (host: Host, verb: NodeSpec['verb']): Promise<boolean> =>
  host.root !== '/' || (await isStillJoined(host, verb));

async function awaitNode(verb: NodeSpec['verb'], context: StepContext, shared: Shared): Promise<StepResult> {
  const { host, signal } = context;
  const { callers, background, printed } = shared;
  const scripts = [...(callers?.scripts ?? []), ...background()];
  const atWork = new CallerWatch(host, callers === undefined ? undefined : { ...callers, scripts });
  let last: CallerActivity = { busy: undefined, isKubeadm: false, units: [] };
  let told = '';
  let quiet = 0;
  let wasBusy = false;
  for (;;) {
    const isMade = await isNode(host, verb);
    if (isMade && host.root !== '/') return { done: true };
    last = await atWork.look(printed());
    // The kubelet gets its certificate long before kubeadm join has made a control plane.
    if (isMade && !last.isKubeadm) break;
    quiet = last.busy === undefined ? quiet + 1 : 0;
    wasBusy ||= last.busy !== undefined || last.units.length > 0;
    if (last.busy !== undefined && last.busy !== told) {
      told = last.busy;
      await context.progress(`waiting for the node: ${last.busy}`);
    }
    if (signal.aborted || quiet > (wasBusy ? QUIET_LOOKS : 0)) break;
    await host.clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
  const asked = { verb, callers, sight: last, printed: printed() };
  // It may have come between the look at the disk and the look at the callers.
  if ((await isNode(host, verb)) && !(await hasKubeadmFailed(host, asked))) return announce(host);
  await removeFalseSentinel(context);
  const found = await whyNoNode(host, asked);
  return { done: false, failure: failure(found.code, found.cause, found), retry: 'no', isFinal: true };
}

/** A command may have written it without looking at kubeadm's status. */
async function removeFalseSentinel({ host, progress }: StepContext): Promise<void> {
  if ((await host.files.stat(SENTINEL)) === undefined) return;
  await host.files.remove(SENTINEL);
  await progress(`removed ${SENTINEL}, which a command had written: there is no node`);
}

async function announce(host: Host): Promise<StepResult> {
  try {
    await keepSentinel(host);
    return { done: true };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return failed(error.failureCode, error.message);
  }
}

/** Cluster API waits for it; again after a reboot, which empties /run. */
async function keepSentinel(host: Host): Promise<void> {
  if (host.root === '/') await putSentinels(host);
}
