/** Finds the members of etcd, and the credentials with which this machine may talk to them. */

import { readKubeconfig } from '../../../cluster/kubeconfig.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { certificatesDirOf } from '../../config/kubeadm-files.ts';
import type { EtcdCredentials } from './client.ts';

const ADMIN = '/etc/kubernetes/admin.conf';
const MANIFESTS = '/etc/kubernetes/manifests';
const PODS = '/api/v1/namespaces/kube-system/pods?labelSelector=component%3Detcd%2Ctier%3Dcontrol-plane';
/** kubeadm has noted it on every etcd pod since 1.19. */
const CLIENT_URLS = 'kubeadm.kubernetes.io/etcd.advertise-client-urls';
const LIMIT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

type Endpoints =
  | { kind: 'found'; urls: string[] }
  /** etcd does not run on the control planes, so this machine has no member. */
  | { kind: 'none' }
  | { kind: 'unknown'; why: string };

/** A control plane's pair for etcd, made in the attempt before; undefined where there is none. @throws HostError */
export async function readEtcdCredentials(host: Host): Promise<EtcdCredentials | undefined> {
  const pki = await certificatesDirOf(host);
  const read = async (name: string) => (await host.files.readIfPresent(`${pki}/${name}`))?.toString('utf8');
  const ca = await read('etcd/ca.crt');
  for (const name of ['etcd/healthcheck-client', 'apiserver-etcd-client', 'etcd/server']) {
    const [certificate, key] = [await read(`${name}.crt`), await read(`${name}.key`)];
    if (ca && certificate && key) return { ca, certificate, key };
  }
  return undefined;
}

/** Client URLs of the members on other control planes: asked of the cluster, else taken from this machine's own manifest. */
export async function findEndpoints(host: Host): Promise<Endpoints> {
  const asked = await askCluster(host);
  if (asked.kind !== 'unknown') return asked;
  const urls = await fromManifest(host);
  return urls.length > 0 ? { kind: 'found', urls } : asked;
}

/** `https://ADDRESS:2380` of this machine, as kubeadm makes it; undefined before its API server's manifest is there. */
export async function ownPeerUrl(host: Host): Promise<string | undefined> {
  const manifest = await readManifest(host, 'kube-apiserver');
  const endpoint = /kube-apiserver\.advertise-address\.endpoint: *"?([^\s"]+)/.exec(manifest)?.[1];
  const address =
    endpoint?.replace(/:\d+$/, '') ??
    /--advertise-address=([^\s"]+)/.exec(manifest)?.[1]?.replace(/^(.*:.*)$/, '[$1]');
  return address === undefined ? undefined : `https://${address}:2380`;
}

async function askCluster(host: Host): Promise<Endpoints> {
  const access = await readKubeconfig(host, ADMIN);
  if (access === undefined)
    return { kind: 'unknown', why: `${ADMIN}, needed to query the cluster, does not exist` };
  const { server, ...credentials } = access;
  const client = host.network.client(credentials);
  try {
    const answer = await client.send({
      method: 'GET',
      url: new URL(PODS, server).href,
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
    });
    if (answer.status !== 200)
      return { kind: 'unknown', why: `${server} answers with HTTP status ${answer.status}` };
    const urls = parsePods(answer.body);
    // A proxy may answer with a page of its own. "No members" is a reason to clean, so only a real list may say it.
    if (urls === undefined) return { kind: 'unknown', why: `${server} does not answer with a list of pods` };
    return urls.length > 0 ? { kind: 'found', urls } : { kind: 'none' };
  } catch (error) {
    if (error instanceof HostError) return { kind: 'unknown', why: error.message };
    throw error;
  } finally {
    client.close();
  }
}

interface Pod {
  metadata?: { annotations?: Record<string, unknown> };
}

/** Undefined when the body is no list of pods. */
function parsePods(body: string): string[] | undefined {
  let items: unknown;
  try {
    items = (JSON.parse(body) as { items?: unknown } | null)?.items;
  } catch {
    return undefined;
  }
  if (!Array.isArray(items)) return undefined;
  const urls = items.flatMap((pod: Pod | null) => {
    const noted = pod?.metadata?.annotations?.[CLIENT_URLS];
    return typeof noted === 'string' ? noted.split(',') : [];
  });
  return [...new Set(urls.map((url) => url.trim()))].filter(isHttp);
}

function isHttp(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** etcd's manifest names the peers that it was to join; their client port is kubeadm's. */
async function fromManifest(host: Host): Promise<string[]> {
  const manifest = await readManifest(host, 'etcd');
  const cluster = /--initial-cluster=([^\s"]+)/.exec(manifest)?.[1] ?? '';
  const own = await ownPeerUrl(host);
  return cluster
    .split(',')
    .map((entry) => entry.slice(entry.indexOf('=') + 1))
    .filter((url) => isHttp(url) && url !== own)
    .map((url) => url.replace(/:\d+$/, ':2379'));
}

async function readManifest(host: Host, name: string): Promise<string> {
  return (await host.files.readIfPresent(`${MANIFESTS}/${name}.yaml`, 1024 * 1024))?.toString('utf8') ?? '';
}
