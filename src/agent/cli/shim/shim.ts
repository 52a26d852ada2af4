import { createHost } from '../../create-host.ts';
import { failure } from '../../engine/failure.ts';
import { type Host, HostError } from '../../host/host.ts';
import { parseInvocation } from '../../kubeadm/config/invocation.ts';
import { KubeadmError } from '../../kubeadm/kubeadm-error.ts';
import {
  findRealKubeadm,
  kubeadmEnvironment,
  refuseSlipwayAsCaller,
} from '../../kubeadm/run/real-kubeadm.ts';
import { isRoot } from '../options/options.ts';
import { printFailure } from '../text/print-failure.ts';

/** A shell's own exit statuses for a program that is not there, and for one that is no program. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;
const PERMANENT_STATUS = 1;

/**
 * Slipway called as `kubeadm`: `init` and `join` go through the engine, everything else straight to the real
 * kubeadm, which then takes this process's place.
 *
 * @returns kubeadm's exit status
 */
export async function shim(argv: string[]): Promise<number> {
  const host = createHost();
  const invocation = parseInvocation(argv);
  try {
    refuseSlipwayAsCaller(host, process.argv0);
    if (invocation.kind === 'bootstrap') {
      if (!isRoot()) {
        printFailure(failure('NotRoot', `Only root can run kubeadm ${invocation.verb}`));
        return PERMANENT_STATUS;
      }
      const { shimBootstrap } = await import('./shim-bootstrap.ts');
      return await shimBootstrap(host, invocation);
    }
    return await passThrough(host, argv);
  } catch (error) {
    if (!(error instanceof KubeadmError)) throw error;
    printFailure(error.failure);
    return NOT_FOUND;
  }
}

async function passThrough(host: Host, argv: string[]): Promise<number> {
  const path = await findRealKubeadm(host, process.execPath);
  try {
    if (argv[0] === 'reset' && isRoot()) {
      const { kindOfReset, recordReset } = await import('./shim-reset.ts');
      const kind = kindOfReset(argv.slice(1));
      if (kind === 'when it was asked') {
        const status = await host.processes.attached([path, ...argv], kubeadmEnvironment());
        if (status === 0) await recordReset(host);
        return status;
      }
      // Noted first: if it is killed half-way, the node must not pass for finished.
      if (kind === 'at once') await recordReset(host);
    }
    return await host.processes.replace([path, ...argv], kubeadmEnvironment());
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    printFailure(failure('KubeadmNotFound', `The real kubeadm does not start: ${error.message}`));
    return NOT_STARTED;
  }
}
