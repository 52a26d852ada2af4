import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { runTool } from '../tools/run-tool.ts';
import { StepError } from '../tools/step-error.ts';
import { isSystemdRunning } from '../tools/systemd.ts';
import { ignoredSettings, renderFiles, summarizeLinks } from './apply-network.ts';
import { findRenderer, NetworkFiles } from './network-files.ts';
import { renameInterfaces } from './rename-interfaces.ts';

/**
 * Writes what `settings` say before the programs that set networks up have started: they read it when they do. Where the files
 * cannot be written or the program for them refuses, is masked or does not start, those that lay there are put back.
 *
 * @returns what was done, and what a person should know of it
 * @throws Problem `NetworkNotConfigured`
 */
export async function prepareNetwork(
  host: Host,
  settings: NetworkSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const renderer = await findRenderer(host, settings.renderers);
  if (renderer === undefined)
    throw new StepError('NetworkNotConfigured', 'This image has nothing that sets up its network');
  const run = (...argv: [string, ...string[]]) =>
    runTool(host, argv, { doing: 'prepare the network', code: 'NetworkNotConfigured', signal });
  const files = await NetworkFiles.open(host, await renderFiles(renderer, settings));
  const remarks = ignoredSettings(settings, renderer);
  if (!files.differ) return [`${renderer}: ${summarizeLinks(settings)}, as it was`, ...remarks];
  const done = `written for ${renderer}: ${summarizeLinks(settings)}`;
  try {
    await files.write();
    if (!(await isSystemdRunning(host))) return [done, ...remarks];
    if (renderer === 'netplan') await run('netplan', 'generate');
    remarks.push(...(await renameInterfaces(host, settings, signal)));
    if (renderer === 'networkd') {
      await run('systemctl', 'enable', 'systemd-networkd.service');
      // It waits for the one who asks: it is ordered behind.
      await run('systemctl', 'start', '--no-block', 'systemd-networkd.service');
    }
  } catch (error) {
    await files.putBack();
    throw error;
  }
  return [done, ...remarks];
}
