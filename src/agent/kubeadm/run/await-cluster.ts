import { BACKOFF, type Backoff, backoffMs } from '../../../kit/backoff.ts';
import { readApiServer, seenLately } from '../../diagnosis/evidence/api-server.ts';
import type { ApiServerView } from '../../diagnosis/evidence/evidence.ts';
import type { Host } from '../../host/host.ts';
import type { HttpClient } from '../../host/network.ts';

export interface ClusterSpec {
  /** `host:port` of the API servers of the cluster; with several, each attempt begins with another one. */
  endpoints: readonly string[];
  /** The public half of the token that the cluster has to know. */
  tokenId: string | undefined;
  /** From 1. */
  attempt: number;
  /** 0: it only chooses, it does not wait. */
  limitMs: number;
  signal: AbortSignal;
  onProgress(message: string): void;
}

export interface ClusterFound {
  /** The one to join by. */
  endpoint: string;
  /** The time was over before the cluster could be joined: kubeadm can now say why in a few seconds. */
  inVain: boolean;
  /** What it waited for in vain, where that is more likely never to come than to be late. */
  lacks?: Lack;
}

/** `token`: the cluster does not know the token, and does know others. `route`: there is no way to the address. */
export type Lack = 'token' | 'route';

/** A dead one among several costs a second and a half at most, and not an attempt. */
const CHOICE_MS = 1_500;
const LOOK_MS = 5_000;
/** The check of the machine has just asked the API server: its answer counts for so long. */
const STILL_SO_MS = 2_000;
/** How long a look may take after silence. kubeadm gives each request so long; a firewall that opens is noticed within half of it. */
const LONG_LOOK_MS = 10_000;

/**
 * Waits until the cluster can be joined: its API server answers, and what it publishes for those who join is
 * signed with the token, which is all that kubeadm's discovery waits for. kubeadm asks every five seconds and
 * says nothing meanwhile; this asks at once, then ever less often, over one connection, and says what it
 * waits for. Silence may be an API server with too much to do: it gets more time and fewer questions then, for
 * whoever breaks off and asks anew makes it begin from the start.
 *
 * Nothing that it reads is trusted: kubeadm's own discovery verifies all of it afterwards.
 *
 * @returns undefined when there is no endpoint
 */
export async function awaitCluster(host: Host, spec: ClusterSpec): Promise<ClusterFound | undefined> {
  const { endpoints, tokenId, attempt, limitMs } = spec;
  const [only] = endpoints;
  if (only === undefined) return undefined;
  if (limitMs <= 0 && endpoints.length === 1) return { endpoint: only, inVain: false };
  const first = (attempt - 1) % endpoints.length;
  const inTurn = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  const [preferred = only] = inTurn;
  const seen = seenLately(host, preferred, STILL_SO_MS);
  if (seen && lacking(seen, tokenId) === undefined) return { endpoint: preferred, inVain: false };
  const clients = inTurn.map((endpoint) => ({ endpoint, client: host.network.client({ insecure: true }) }));
  try {
    return await look(host, clients, spec);
  } finally {
    for (const { client } of clients) client.close();
  }
}

async function look(
  host: Host,
  clients: readonly { endpoint: string; client: HttpClient }[],
  { tokenId, limitMs, signal, onProgress }: ClusterSpec,
): Promise<ClusterFound> {
  const end = host.clock.monotonic() + limitMs;
  let timeoutMs = clients.length > 1 ? CHOICE_MS : LOOK_MS;
  let told: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const asked = clients.map(({ endpoint, client }) => readApiServer(host, endpoint, timeoutMs, client));
    const views = await enough(host, asked, tokenId);
    const joinable = views.find((view) => lacking(view, tokenId) === undefined);
    if (joinable) return { endpoint: joinable.endpoint, inVain: false };
    const best = (views.find(answers) ?? views[0]) as ApiServerView;
    const leftMs = end - host.clock.monotonic();
    if (leftMs <= 0 || signal.aborted) {
      const lacks = lackOf(views, best);
      return { endpoint: best.endpoint, inVain: limitMs > 0, ...(lacks ? { lacks } : {}) };
    }
    const why = lacking(best, tokenId);
    if (why !== told) {
      onProgress(`waiting for the cluster: ${why}`);
      tries = 1;
    }
    told = why;
    if (views.every(({ isSilent }) => isSilent)) timeoutMs = Math.min(LONG_LOOK_MS, 2 * timeoutMs);
    const pauseMs = backoffMs(tries, pace(best), () => host.random());
    await host.clock.sleep(Math.min(pauseMs, leftMs), signal).catch(() => undefined);
  }
}

/**
 * What the API servers have answered, in turn: at once when the first of them can be joined by, a while after another one can,
 * else when all have. One that is silent may take long.
 */
async function enough(
  host: Host,
  asked: readonly Promise<ApiServerView>[],
  tokenId: string | undefined,
): Promise<ApiServerView[]> {
  const views = new Map<number, ApiServerView>();
  const chosen = new AbortController();
  await new Promise<void>((resolve, reject) => {
    for (const [index, answer] of asked.entries())
      answer.then((view) => {
        views.set(index, view);
        const isJoinable = lacking(view, tokenId) === undefined;
        if (views.size === asked.length || (isJoinable && index === 0)) resolve();
        else if (isJoinable) void host.clock.sleep(CHOICE_MS, chosen.signal).then(resolve, resolve);
      }, reject);
  }).finally(() => chosen.abort());
  return asked.flatMap((_, index) => views.get(index) ?? []);
}

/** The best of them is not joinable. */
function lackOf(views: readonly ApiServerView[], { clusterInfo }: ApiServerView): Lack | undefined {
  if ((clusterInfo?.signedBy.length ?? 0) > 0) return 'token';
  return views.every(({ isUnrouted }) => isUnrouted) ? 'route' : undefined;
}

/** A refusal is no work for anybody. */
function pace(view: ApiServerView): Backoff {
  if (answers(view)) return BACKOFF.token;
  return view.isSilent ? BACKOFF.silent : BACKOFF.endpoint;
}

const answers = ({ status }: ApiServerView): boolean => status !== undefined && status < 500;

/** What kubeadm's discovery would still wait for; undefined when that is nothing. */
function lacking(view: ApiServerView, tokenId: string | undefined): string | undefined {
  const { endpoint, status, problem, failedAt, clusterInfo, failing } = view;
  const checks = failing === undefined ? '' : `; it reports that these checks fail: ${failing.join(', ')}`;
  if (status === undefined) return `${endpoint} does not answer yet: ${problem ?? failedAt}${checks}`;
  if (status >= 500) return `the API server ${endpoint} answers with HTTP status ${status}${checks}`;
  if (tokenId === undefined) return undefined;
  if (status === 200 && clusterInfo === undefined)
    return `the server at ${endpoint} does not send cluster-info (HTTP status 200): it may not be an API server`;
  if (status !== 200 || clusterInfo === undefined)
    return `the API server ${endpoint} does not serve cluster-info yet (HTTP status ${status})`;
  return clusterInfo.signedBy.includes(tokenId)
    ? undefined
    : `the cluster does not know the token ${tokenId} yet, or no longer does`;
}
