import { formatMs } from '../../../kit/duration.ts';
import { awaitReady } from '../../cluster/await-ready.ts';
import { endpointProblem } from '../../cluster/check-endpoint.ts';
import { nodeAddressProblem } from '../../cluster/node-addresses.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { KubeadmCall } from '../../kubeadm/config/call.ts';
import type { Work } from '../kind/step-kind.ts';

export interface ReadySpec {
  /** The call that has made the cluster. */
  init?: KubeadmCommand;
}

/** A node without a network plugin does not become Ready, so this wait is short. */
const LIMIT_MS = 20_000;

/**
 * Watches the Node become Ready, or says why it does not, and looks whether others reach it. The sentinel is there already;
 * nothing depends on this step.
 */
export const seeReady: Work<ReadySpec> = ({ init }, { call }) => ({
  onFailure: 'continue',

  async run(context) {
    const { host, signal, remainingMs, finding } = context;
    // Below a root directory no kubelet runs.
    if (host.root !== '/') return { done: true };
    const readiness = await awaitReady(host, Math.min(LIMIT_MS, remainingMs()), signal);
    await Promise.all([tellAddresses(context), init && tellEndpoint(context, call(init))]);
    if (readiness.ready) return { done: true, message: `Ready after ${formatMs(readiness.ms)}` };
    await finding({
      severity: 'info',
      code: 'NodeNotReady',
      message: `the Node is not Ready yet: ${readiness.why}`,
    });
    return { done: true, message: `not Ready yet: ${readiness.why}` };
  },
});

async function tellAddresses({ host, signal, finding }: StepContext): Promise<void> {
  const message = await nodeAddressProblem(host, signal);
  if (message !== undefined) await finding({ severity: 'warning', code: 'NodeAddressWrong', message });
}

/** A remark only: many a load balancer needs a moment, and some never let a server behind them reach itself. */
async function tellEndpoint({ host, finding }: StepContext, call: KubeadmCall): Promise<void> {
  const [endpoint] = (await call.read()).config?.endpoints ?? [];
  const why = endpoint === undefined ? undefined : await endpointProblem(host, endpoint);
  if (why === undefined) return;
  const message = `nobody answers at the control plane endpoint ${endpoint} (${why}), by which other machines join; its load balancer may need a moment, or may not let this machine reach itself`;
  await finding({ severity: 'info', code: 'ControlPlaneEndpointSilent', message });
}
