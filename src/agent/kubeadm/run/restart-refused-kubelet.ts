import { BACKOFF, backoffMs } from '../../../kit/backoff.ts';
import { redact } from '../../../secrets/redact.ts';
import { bearerHeader, readKubeconfig } from '../../cluster/kubeconfig.ts';
import { BOOTSTRAP_KUBECONFIG } from '../../cluster/kubelet-identity.ts';
import type { Host } from '../../host/host.ts';

const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';
/** Whoever may ask for a certificate may read requests for one too (ClusterRole system:node-bootstrapper); this one there is not. */
const QUESTION = '/apis/certificates.k8s.io/v1/certificatesigningrequests/slipway.dev';
const MAY_ASK = 404;
const ASK_MS = 2_000;
/** By then the kubelet has asked again by itself. */
const LIMIT_MS = 10_000;
const RESTART_MS = 30_000;
const MOST_SAID = 200;

/**
 * The API server of a new control plane serves before it has read the tokens of the cluster, and refuses the kubelet that has
 * waited for it (kubeadm's ControlPlaneKubeletLocalMode, the default since 1.33). That one asks again only after pauses that have
 * grown while nobody answered, seconds later. Started anew it asks at once; its containers run on meanwhile, and the key of
 * a request that is under way is kept. So this asks the API server the same, by the kubelet's own token, and starts the kubelet again
 * as soon as it would be answered: once a run of kubeadm, and never where the certificate has come.
 *
 * @returns to be called when the kubelet was refused. Never throws: what fails is left to the kubelet
 */
export function restartRefusedKubelet(
  host: Host,
  spec: { signal: AbortSignal; onProgress(message: string): void },
): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    void startAgain(host, spec).catch(() => undefined);
  };
}

async function startAgain(
  host: Host,
  { signal, onProgress }: { signal: AbortSignal; onProgress(message: string): void },
): Promise<void> {
  const access = await readKubeconfig(host, BOOTSTRAP_KUBECONFIG);
  // The token goes to nobody who has not proved to be this cluster's API server.
  if (access?.token === undefined || access.ca === undefined || !access.server.startsWith('https:')) return;
  const client = host.network.client({ ca: access.ca });
  try {
    const url = new URL(QUESTION, access.server).href;
    const headers = bearerHeader(access.token);
    const end = host.clock.monotonic() + LIMIT_MS;
    for (let tries = 1; ; tries += 1) {
      const asked = client.send({ method: 'GET', url, headers, timeoutMs: ASK_MS, signal });
      const status = await asked.then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status === MAY_ASK) break;
      if (signal.aborted || host.clock.monotonic() >= end) return;
      await host.clock.sleep(
        backoffMs(tries, BACKOFF.local, () => host.random()),
        signal,
      );
    }
  } finally {
    client.close();
  }
  if (signal.aborted || (await host.files.stat(CERTIFICATE)) !== undefined) return;
  onProgress(
    "the API server now accepts the kubelet's token, which it refused at first; restarting the kubelet so that it retries at once",
  );
  const { exitStatus, timedOut, stderr } = await host.processes.run({
    argv: ['systemctl', 'try-restart', 'kubelet.service'],
    env: { LC_ALL: 'C' },
    timeoutMs: RESTART_MS,
  });
  if (exitStatus === 0 || signal.aborted) return;
  const said = redact(stderr.trim().split('\n').at(-1) ?? '').slice(0, MOST_SAID);
  const why = timedOut ? `no answer in ${RESTART_MS / 1000} s` : said || `exit status ${exitStatus}`;
  onProgress(`systemctl could not restart the kubelet (${why}); the kubelet will retry later`);
}
