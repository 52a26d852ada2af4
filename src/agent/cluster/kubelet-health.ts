import type { Host } from '../host/host.ts';
import { showUnits } from '../host/show-units.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { plainText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { plainValue } from '../text/yaml/plain-value.ts';

const CONFIG = '/var/lib/kubelet/config.yaml';
const DEFAULT_PORT = 10_248;
const LIMIT_MS = 2_000;

type KubeletHealth =
  | { kind: 'healthy' }
  /** Its configuration turns the health endpoint off. */
  | { kind: 'unknown' }
  /** Half a sentence. */
  | { kind: 'trouble'; what: string };

/** Undefined when the kubelet's service runs and it calls itself healthy; else what is wrong, as half a sentence. */
export async function kubeletProblem(host: Host): Promise<string | undefined> {
  const [unit] = (await showUnits(host, ['kubelet.service'], ['ActiveState'], LIMIT_MS)) ?? [];
  const state = unit?.get('ActiveState') ?? '';
  // Without systemd there is no such answer; then only the kubelet's own counts.
  if (['activating', 'deactivating', 'failed', 'inactive'].includes(state))
    return `its service is "${state}"`;
  const health = await askKubelet(host);
  return health.kind === 'trouble' ? health.what : undefined;
}

/** The kubelet's own answer at its health endpoint. @throws HostError when its configuration cannot be read */
export async function askKubelet(host: Host): Promise<KubeletHealth> {
  const url = await healthUrl(host);
  if (url === undefined) return { kind: 'unknown' };
  const client = host.network.client({});
  try {
    const { status } = await client.send({ method: 'GET', url, timeoutMs: LIMIT_MS });
    if (status === 200) return { kind: 'healthy' };
    return { kind: 'trouble', what: `${url} answers with HTTP status ${status}` };
  } catch {
    return { kind: 'trouble', what: `${url} does not answer` };
  } finally {
    client.close();
  }
}

/** Undefined where the configuration turns the health endpoint off. */
async function healthUrl(host: Host): Promise<string | undefined> {
  const { healthzPort = DEFAULT_PORT, healthzBindAddress = '127.0.0.1' } = await configuration(host);
  if (Number(healthzPort) === 0) return undefined;
  const address = String(healthzBindAddress);
  // An address that means "all" is no address to ask.
  const anywhere: Record<string, string> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
  const asked = anywhere[address] ?? address;
  return `http://${asked.includes(':') ? `[${asked}]` : asked}:${healthzPort}/healthz`;
}

/** Empty if the file is no YAML: the kubelet cannot read it either, and will say so. */
async function configuration(host: Host): Promise<{ healthzPort?: unknown; healthzBindAddress?: unknown }> {
  const text = (await host.files.readIfPresent(CONFIG))?.toString('utf8') ?? '';
  const root = parseYaml(plainText(text), new Diagnostics());
  return root?.kind === 'mapping' ? (plainValue(root) as Record<string, unknown>) : {};
}
