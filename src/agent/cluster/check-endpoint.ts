import { type Host, HostError } from '../host/host.ts';

const LIMIT_MS = 5_000;
const NOBODY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Asks the control plane's endpoint once: other machines join by it, and this one may do without it. Any answer is one.
 *
 * @param endpoint `host`, or `host:port`
 * @returns why nobody answers, in the system's words; undefined where somebody does
 */
export async function endpointProblem(host: Host, endpoint: string): Promise<string | undefined> {
  const url = `https://${withPort(endpoint)}/livez`;
  // Whether it can be an endpoint at all, kubeadm has judged.
  if (!URL.canParse(url)) return undefined;
  // It is told nothing, and nothing that it says counts.
  const client = host.network.client({ insecure: true });
  try {
    await client.send({ method: 'GET', url, timeoutMs: LIMIT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // Whoever refuses a handshake is somebody.
    return NOBODY.has(error.errno) ? error.errno : undefined;
  } finally {
    client.close();
  }
}

function withPort(endpoint: string): string {
  if (/:\d+$/.test(endpoint) && (endpoint.startsWith('[') || endpoint.split(':').length === 2))
    return endpoint;
  return `${endpoint.includes(':') && !endpoint.startsWith('[') ? `[${endpoint}]` : endpoint}:6443`;
}
