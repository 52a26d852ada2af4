import { createLinuxHost } from '../host/linux/host.ts';
import { KubeadmError } from '../kubeadm/failure.ts';
import { parseInvocation } from '../kubeadm/invocation.ts';
import { findRealKubeadm } from '../kubeadm/real-kubeadm.ts';
import { complain } from './complain.ts';

/**
 * Slipway called as `kubeadm`: `init` and `join` go through the engine, everything else straight to the real kubeadm,
 * which then takes this process's place.
 *
 * @returns kubeadm's exit status
 */
export async function shim(argv: string[]): Promise<number> {
  const host = createLinuxHost();
  const invocation = parseInvocation(argv);
  if (invocation.kind === 'bootstrap') {
    const { shimBootstrap } = await import('./shim-bootstrap.ts');
    return shimBootstrap(host, invocation);
  }
  try {
    const path = await findRealKubeadm(host, process.execPath);
    if (argv[0] === 'reset') {
      const { noteReset } = await import('./shim-reset.ts');
      await noteReset(host);
    }
    return await host.processes.replace([path, ...argv]);
  } catch (error) {
    if (!(error instanceof KubeadmError)) throw error;
    complain(error.failure);
    return 127;
  }
}
