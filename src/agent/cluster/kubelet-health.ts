import { parse } from 'yaml';
import type { Host } from '../host/host.ts';

const CONFIG = '/var/lib/kubelet/config.yaml';
const DEFAULT_PORT = 10_248;
const LIMIT_MS = 2_000;

/** Undefined when the kubelet's service runs and it calls itself healthy; else what is wrong, as half a sentence. */
export async function kubeletTrouble(host: Host): Promise<string | undefined> {
  const unit = await host.processes.run({
    argv: ['systemctl', 'is-active', 'kubelet.service'],
    timeoutMs: LIMIT_MS,
  });
  const state = unit.stdout.trim();
  // Without systemd there is no such answer; then only the kubelet's own counts.
  if (['activating', 'deactivating', 'failed', 'inactive'].includes(state))
    return `its service is "${state}"`;
  const url = await healthUrl(host);
  if (url === undefined) return undefined;
  try {
    const { status } = await host.network.get(url, { timeoutMs: LIMIT_MS });
    return status === 200 ? undefined : `${url} answers with HTTP status ${status}`;
  } catch {
    return `${url} does not answer`;
  }
}

/** Undefined where the configuration turns the health endpoint off. */
async function healthUrl(host: Host): Promise<string | undefined> {
  const { healthzPort = DEFAULT_PORT, healthzBindAddress = '127.0.0.1' } = await configuration(host);
  if (healthzPort === 0) return undefined;
  const address = String(healthzBindAddress);
  // An address that means "all" is no address to ask.
  const anywhere: Record<string, string> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
  const asked = anywhere[address] ?? address;
  return `http://${asked.includes(':') ? `[${asked}]` : asked}:${healthzPort}/healthz`;
}

async function configuration(host: Host): Promise<{ healthzPort?: number; healthzBindAddress?: string }> {
  const text = (await host.files.readIfPresent(CONFIG))?.toString('utf8') ?? '';
  try {
    return (parse(text) as Record<string, never> | null) ?? {};
  } catch {
    // The kubelet itself cannot read it either, and will say so.
    return {};
  }
}
