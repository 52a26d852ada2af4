import { PROXY_FILE } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

/** The file's text: each variable in upper and in lower case, since programs read the one or the other. */
export function proxyFile(values: { HTTP_PROXY?: string; HTTPS_PROXY?: string; NO_PROXY?: string }): string {
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `${name}="${value}"`,
    `${name.toLowerCase()}="${value}"`,
  ]);
  return `# Written by Slipway from the settings of the node (slipway.proxy).\n${lines.join('\n')}\n`;
}

/**
 * The proxy settings for kubeadm, which hands them to the static pods that it writes; empty if there are
 * none.
 */
export async function proxyEnvironment(host: Host): Promise<Record<string, string>> {
  const text = (await host.files.readIfPresent(PROXY_FILE, 64 * 1024))?.toString('utf8') ?? '';
  const found = [...text.matchAll(/^((?:HTTPS?|NO)_PROXY|(?:https?|no)_proxy)="([^"\\]*)"$/gm)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}
