import { type Host, HostError } from '../../../host/host.ts';
import { serviceState } from '../../../host/windows-services.ts';
import type { Check } from '../check.ts';
import { preflightFinding } from '../finding.ts';

/** Where containerd listens on Windows, unless its configuration says otherwise. */
const PIPE = 'npipe:////./pipe/containerd-containerd';
const LIMIT_MS = 3_000;

/** What kubeadm looks at only when it has begun: the runtime's pipe. Where it says nothing, its service may say why. */
export const runtimePipe: Check = {
  name: 'container runtime',
  async run(host, { config }) {
    const socket = config?.criSocket ?? PIPE;
    const pipe = socket
      .replace(/^npipe:/, '')
      .replaceAll('/', '\\')
      .replace(/^\\+/, '\\\\');
    try {
      await host.network.callUnix(pipe, '/runtime.v1.RuntimeService/Version', new Uint8Array(0), LIMIT_MS);
      return [];
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const why = error.errno === 'ENOENT' ? 'is not there' : `cannot be asked (${error.errno})`;
      const message = `the container runtime's pipe ${socket} ${why}${await serviceOf(host, socket)}`;
      const remedy =
        'Register containerd as a service in the image (containerd --register-service) and start it.';
      return [preflightFinding('warning', 'ContainerRuntimeDown', message, { remedy })];
    }
  },
};

async function serviceOf(host: Host, socket: string): Promise<string> {
  if (!socket.endsWith('containerd-containerd')) return '';
  const state = await serviceState(host, 'containerd', LIMIT_MS);
  if (state === undefined) return '';
  if (state.get('LoadState') === 'not-found') return ', and there is no service containerd';
  if (state.get('LoadState') === 'masked') return ', and the service containerd is disabled';
  const status = state.get('ExecMainStatus');
  return `, and the service containerd is ${state.get('ActiveState')}${status === '0' ? '' : ` (${status})`}`;
}
