import type { Diagnostic } from '../../document/document.ts';
import type { NetworkSettings } from '../../document/network-settings.ts';
import type { Host } from '../../host/host.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { interfacesByAddress } from '../../platform/interfaces.ts';
import { readImageNetwork } from './image-network.ts';
import { fromInitramfs } from './initramfs.ts';
import { networkFromKernelLine } from './kernel-command-line.ts';
import { readNetwork } from './read-network.ts';

/** What has been said of this machine's network, and what comes of it. */
export interface NetworkChoice {
  settings?: NetworkSettings;
  report: Diagnostic[];
}

const MAX_BYTES = 64 * 1024;

/**
 * Which configuration counts, in cloud-init's order: the kernel command line, the initramfs, the image's cloud.cfg, the source of
 * the user data. `{config: disabled}` in one of them leaves the network as it is, whatever the later ones say.
 */
export async function chooseNetwork(host: Host, offered: NetworkConfig | undefined): Promise<NetworkChoice> {
  const line = await kernelLine(host);
  const image = await readImageNetwork(host);
  const given = [await fromInitramfs(host, line), image.config, offered];
  for (const config of [networkFromKernelLine(line), ...given]) {
    if (config === undefined) continue;
    const { settings, isDisabled, report } = readNetwork(config, await interfacesByAddress(host));
    if (isDisabled && offered !== undefined && config !== offered)
      report.push(
        left(`${offered.place} is not acted upon: ${config.place} says that the network stays as it is.`),
      );
    if (isDisabled) return { report };
    const { renderers } = image;
    if (settings !== undefined)
      return { settings: { ...settings, ...(renderers ? { renderers } : {}) }, report };
    if (report.length > 0) return { report };
  }
  return { report: [] };
}

/** A container sees its host's, which says nothing of it. */
async function kernelLine(host: Host): Promise<string> {
  if ((await host.files.stat('/run/systemd/container')) !== undefined) return '';
  return (await host.files.readIfPresent('/proc/cmdline', MAX_BYTES))?.toString('latin1') ?? '';
}

function left(message: string): Diagnostic {
  return { severity: 'warning', code: 'UserDataIgnoredKey', message };
}
