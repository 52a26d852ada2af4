import { rememberSecrets } from '../../secrets/remembered.ts';
import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { documentSecrets } from '../redaction/document-secrets.ts';
import { runTool } from '../tools/run-tool.ts';
import { StepError } from '../tools/step-error.ts';
import { isSystemdRunning } from '../tools/systemd.ts';
import {
  type Address,
  globalAddresses,
  hasAddresses,
  waitForAddresses,
  waitUntil,
  waitWhileStarting,
} from './addresses.ts';
import { findRenderer, NetworkFiles, type RendererName } from './network-files.ts';
import { renameInterfaces } from './rename-interfaces.ts';
import { connectionPath } from './render/network-manager.ts';
import type { RenderedFile } from './render/rendered.ts';

/** What was done, in a few words, and what a person should know of it. */
interface Applied {
  done: string;
  remarks: string[];
}

/**
 * Makes the machine's network what `settings` say: writes the files of what the image has for it, has them read, and waits until the
 * addresses are there. What holds already stays untouched. Where the programs refuse the files, or the machine loses the addresses
 * that it had and gets none of its new ones, everything is put back.
 *
 * @param tell What is waited for
 * @throws Problem `NetworkNotConfigured`
 */
export async function applyNetwork(
  host: Host,
  settings: NetworkSettings,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<Applied> {
  const renderer = await findRenderer(host, settings.renderers);
  if (renderer === undefined) {
    // The kernel, an initramfs or a program of the image's own has done it.
    if (hasAddresses(host, settings)) return { done: `${summarizeLinks(settings)}, as it was`, remarks: [] };
    const names =
      settings.renderers === undefined
        ? 'netplan, NetworkManager or systemd-networkd'
        : settings.renderers.join(', ');
    throw new StepError(
      'NetworkNotConfigured',
      `This image has nothing that sets up its network: no ${names}`,
    );
  }
  const remarks = ignoredSettings(settings, renderer);
  const files = await NetworkFiles.open(host, await renderFiles(renderer, settings));
  const runs = await isSystemdRunning(host);
  const done = `${renderer}: ${summarizeLinks(settings)}`;
  if (!files.differ && runs) await waitWhileStarting(host, settings, signal, tell);
  if (!files.differ && (!runs || hasAddresses(host, settings)))
    return { done: `${done}, as it was`, remarks };
  const before = globalAddresses(host);
  try {
    await files.write();
    if (!runs) return { done, remarks };
    if (renderer !== 'netplan') remarks.push(...(await renameInterfaces(host, settings, signal)));
    await reload(host, renderer, settings, signal);
    // What lay there before has been waited for while it started.
    const missing = files.differ ? await waitForAddresses(host, settings, signal, before.length > 0) : [];
    if (missing.length > 0) remarks.push(missingText(missing));
    if (isLost(before, globalAddresses(host))) {
      const cause =
        'The machine had addresses, and has none since its network was set up anew; it is as it was before';
      throw new StepError('NetworkNotConfigured', cause);
    }
  } catch (error) {
    await files.putBack();
    if (!runs) throw error;
    await reload(host, renderer, settings, signal).catch(() => undefined);
    await waitUntil(host, signal, () => !isLost(before, globalAddresses(host)));
    throw error;
  }
  return { done, remarks };
}

/** From here on the secrets of the configuration are known: programs quote what they refuse. */
export async function renderFiles(
  renderer: RendererName,
  settings: NetworkSettings,
): Promise<RenderedFile[]> {
  rememberSecrets(documentSecrets({ network: settings }));
  switch (renderer) {
    case 'netplan':
      return (await import('./render/netplan.ts')).renderNetplan(settings);
    case 'network-manager':
      return (await import('./render/network-manager.ts')).renderNetworkManager(settings);
    default:
      return (await import('./render/networkd.ts')).renderNetworkd(settings);
  }
}

function isLost(before: readonly Address[], after: readonly Address[]): boolean {
  return before.length > 0 && after.length === 0;
}

export function ignoredSettings({ onlyNetplan, place }: NetworkSettings, renderer: RendererName): string[] {
  if (renderer === 'netplan' || onlyNetplan.length === 0) return [];
  return [
    `${place}: ${onlyNetplan.join(', ')} is for netplan alone, which this image has not; it is left out.`,
  ];
}

function missingText(missing: readonly string[]): string {
  return `The network is set up, and has not come up yet: ${missing.join(', ')}.`;
}

/** Each link with its addresses. */
export function summarizeLinks({ links }: NetworkSettings): string {
  return links
    .map(({ id, addresses, dhcp4, dhcp6 }) => {
      const dynamic = [dhcp4 && 'dhcp4', dhcp6 && (dhcp6.mode === 'any' ? 'dhcp6' : dhcp6.mode)];
      return [id, ...addresses, ...dynamic.filter((each) => each !== undefined)].join(' ');
    })
    .join(', ');
}

/** Has the programs read the files that were written for them. @throws Problem */
async function reload(
  host: Host,
  renderer: RendererName,
  settings: NetworkSettings,
  signal: AbortSignal,
): Promise<void> {
  const run = (...argv: [string, ...string[]]) =>
    runTool(host, argv, { doing: 'set up the network', code: 'NetworkNotConfigured', signal });
  if (renderer === 'netplan') {
    // It refuses a wrong file before anything is changed.
    await run('netplan', 'generate');
    await run('netplan', 'apply');
  } else if (renderer === 'networkd') {
    const active = await host.processes.run({
      argv: ['systemctl', 'is-active', '--quiet', 'systemd-networkd.service'],
      timeoutMs: 30_000,
      signal,
    });
    if (active.exitStatus === 0) await run('networkctl', 'reload');
    else await run('systemctl', 'enable', '--now', 'systemd-networkd.service');
  } else {
    await run('nmcli', 'connection', 'reload');
    for (const link of settings.links) {
      if (link.kind === 'loopback' || link.optional === true || isMember(settings, link.id)) continue;
      if ((await host.files.stat(connectionPath(link))) === undefined) continue;
      await run('nmcli', '--wait', '30', 'connection', 'up', 'filename', connectionPath(link));
    }
  }
}

/** Members come up with what they belong to. */
function isMember({ links }: NetworkSettings, id: string): boolean {
  return links.some(({ bond, bridge }) => bond?.members.includes(id) || bridge?.members.includes(id));
}
