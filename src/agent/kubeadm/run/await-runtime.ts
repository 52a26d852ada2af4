import { BACKOFF, backoffMs } from '../../../kit/backoff.ts';
import { type Host, HostError } from '../../host/host.ts';
import { DEFAULT_SOCKETS, socketPath } from '../config/kubelet/node-registration.ts';

interface RuntimeSpec {
  /** As in kubeadm's configuration; undefined: wherever kubeadm looks. */
  criSocket: string | undefined;
  /** Then kubeadm says what is wrong. */
  limitMs: number;
  signal: AbortSignal;
  onProgress(message: string): void;
}

const ASK_MS = 2_000;

/**
 * Waits until somebody answers at the container runtime's socket, so that a runtime that comes up late or is restarted costs
 * that time and not an attempt of kubeadm. What it answers is kubeadm's to judge, and its silence too.
 *
 * @returns where nobody has answered to the end; undefined where somebody has, or nothing was to be waited for
 */
export async function awaitRuntime(host: Host, spec: RuntimeSpec): Promise<string | undefined> {
  const { criSocket, limitMs, signal, onProgress } = spec;
  // Below a root directory nothing runs, and Windows has pipes.
  if (host.root !== '/' || host.platform === 'windows') return undefined;
  const sockets = criSocket === undefined ? DEFAULT_SOCKETS : [socketPath(criSocket)];
  // kubeadm says what is wrong with it.
  if (sockets.some((socket) => !socket.startsWith('/'))) return undefined;
  // Docker through the kubelet's own shim, up to 1.23, has its socket when the kubelet runs.
  if (sockets.some((socket) => socket.endsWith('dockershim.sock'))) return undefined;
  if (criSocket === undefined && (await host.files.stat('/var/run/docker.sock')) !== undefined)
    return undefined;
  const places = sockets.join(' or ');
  const end = host.clock.monotonic() + limitMs;
  // A socket tells nobody that it is there.
  for (let looks = 1; ; looks += 1) {
    const answers = await Promise.all(sockets.map((socket) => isUp(host, socket)));
    if (answers.includes(true)) return undefined;
    if (signal.aborted || host.clock.monotonic() >= end) return places;
    if (looks === 1) onProgress(`waiting for the container runtime: nothing answers at ${places}`);
    const pauseMs = backoffMs(looks, BACKOFF.local, () => host.random());
    await host.clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

/** An answer with an error is one, too. */
async function isUp(host: Host, socket: string): Promise<boolean> {
  if ((await host.files.stat(socket)) === undefined) return false;
  try {
    await host.network.callUnix(socket, '/runtime.v1.RuntimeService/Version', new Uint8Array(0), ASK_MS);
    return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // A runtime that takes so long is there, and what speaks no gRPC is not going to.
    return error.errno !== 'ECONNREFUSED' && error.errno !== 'ENOENT';
  }
}
