/** One request to the API server for what it publishes to everybody: it tells name, network, TLS, health, clock and token. */
import { type Host, HostError } from '../../host/host.ts';
import type { HttpClient } from '../../host/network.ts';
import type { ApiServerView } from './evidence.ts';
import { parseClusterInfo, readRequestError } from './parse.ts';

const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
const MAX_BYTES = 1024 * 1024;
/** What it says of itself to everybody; without etcd it takes two seconds for that. */
const HEALTH = '/livez';
const HEALTH_MS = 4_000;
const STILL_SO_MS = 60_000;
/** After silence it is another handshake for a server that may have too much to do, and all who join wait for that. */
const ASK_AGAIN_MS = 30_000;
const UNROUTED: ReadonlySet<string | undefined> = new Set(['EHOSTUNREACH', 'ENETUNREACH']);
/** More are named by no API server in its right mind. */
const MOST_CHECKS = 8;

/** What the last answer of an API server was, and when, in milliseconds of the host's own clock. */
const last = new WeakMap<Host, { view: ApiServerView; at: number }>();

/** Which of its own checks each API server last said to fail, and when. */
const failing = new WeakMap<Host, Map<string, { checks: string[]; at: number }>>();

/** What this API server has answered within so many milliseconds; undefined where it was not asked, or did not answer. */
export function seenLately(host: Host, endpoint: string, withinMs: number): ApiServerView | undefined {
  const seen = last.get(host);
  const isNew = seen?.view.endpoint === endpoint && host.clock.monotonic() - seen.at <= withinMs;
  return isNew ? seen.view : undefined;
}

/**
 * Never throws: what fails is the answer. The certificate is not verified, since nothing that is read is trusted; it only
 * goes into a diagnosis.
 *
 * @param endpoint `host:port`, as kubeadm has it.
 * @param kept An insecure client of the caller's, for whoever looks again and again.
 */
export async function readApiServer(
  host: Host,
  endpoint: string,
  timeoutMs: number,
  kept?: HttpClient,
): Promise<ApiServerView> {
  const client = kept ?? host.network.client({ insecure: true });
  const unready = (): Promise<Pick<ApiServerView, 'failing'>> =>
    failingChecks(host, client, endpoint, timeoutMs);
  try {
    const sent = host.clock.now().getTime();
    const url = `https://${endpoint}${CLUSTER_INFO}`;
    const answer = await client.send({ method: 'GET', url, timeoutMs, maxBytes: MAX_BYTES });
    const received = host.clock.now().getTime();
    const date = Date.parse(answer.headers.date ?? '');
    // The header has whole seconds, cut off: half a second is added.
    const ahead = Number.isNaN(date) ? undefined : Math.round(((sent + received) / 2 - date - 500) / 1000);
    const clusterInfo = answer.status === 200 ? parseClusterInfo(answer.body) : undefined;
    const view = {
      endpoint,
      status: answer.status,
      ...(ahead === undefined ? {} : { clockAhead: ahead }),
      ...(clusterInfo === undefined ? {} : { clusterInfo }),
      ...(answer.status >= 500 ? await unready() : {}),
    };
    last.set(host, { view, at: host.clock.monotonic() });
    return view;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const failed = readRequestError(error);
    if (error.errno === 'ETIMEDOUT') return { endpoint, ...failed, isSilent: true, ...(await unready()) };
    if (UNROUTED.has(error.errno)) return { endpoint, ...failed, isUnrouted: true };
    if (error.errno !== 'EAI_AGAIN') return { endpoint, ...failed };
    return { endpoint, ...failed, problem: await silentNameServers(host) };
  } finally {
    if (!kept) client.close();
  }
}

/** Where it does not serve, which of its checks fail; a caller in a hurry is told what was seen within the last minute. */
async function failingChecks(
  host: Host,
  client: HttpClient,
  endpoint: string,
  timeoutMs: number,
): Promise<Pick<ApiServerView, 'failing'>> {
  const known = failing.get(host) ?? new Map<string, { checks: string[]; at: number }>();
  failing.set(host, known);
  const ageOf = (at = Number.NEGATIVE_INFINITY): number => host.clock.monotonic() - at;
  if (timeoutMs >= HEALTH_MS && ageOf(known.get(endpoint)?.at) >= ASK_AGAIN_MS) {
    const request = { method: 'GET', timeoutMs: HEALTH_MS, maxBytes: MAX_BYTES } as const;
    const answer = await client
      .send({ ...request, url: `https://${endpoint}${HEALTH}` })
      .catch(() => undefined);
    const lines = [...(answer?.body ?? '').matchAll(/^\[-\]([\w./-]{1,80}) failed/gm)];
    const names = [...new Set(lines.map(([, name = '']) => name))];
    known.set(endpoint, { checks: names.slice(0, MOST_CHECKS), at: host.clock.monotonic() });
  }
  const { checks = [], at } = known.get(endpoint) ?? {};
  return checks.length > 0 && ageOf(at) <= STILL_SO_MS ? { failing: checks } : {};
}

/** Half a sentence. It names all servers of /etc/resolv.conf: which one was asked last nobody can see. */
async function silentNameServers(host: Host): Promise<string> {
  const text = await host.files.readIfPresent('/etc/resolv.conf', 64 * 1024).catch(() => undefined);
  const servers = [...(text?.toString() ?? '').matchAll(/^[^\S\n]*nameserver\s+(\S+)/gm)].map(
    (match) => match[1],
  );
  if (servers.length === 0) return 'its name does not resolve, and /etc/resolv.conf names no DNS server';
  const who = servers.length > 1 ? 'servers' : 'server';
  return `its name does not resolve: no answer from the DNS ${who} ${servers.join(', ')}`;
}
