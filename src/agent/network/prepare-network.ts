import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { Problem } from '../steps/tools/problem.ts';
import { systemdRuns } from '../steps/tools/systemd.ts';
import { runTool } from '../steps/tools/tool.ts';
import { leftOut, rendered, summary } from './apply-network.ts';
import { findRenderer } from './find-renderer.ts';
import { Files } from './own-files.ts';
import { renameCards } from './rename-cards.ts';

/**
 * Writes what `settings` say before the programs that set networks up have started: they read it when they do.
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
    throw new Problem('NetworkNotConfigured', 'This image has nothing that sets up its network');
  const files = await Files.open(host, await rendered(renderer, settings));
  const remarks = leftOut(settings, renderer);
  if (!files.differ) return [`${renderer}: ${summary(settings)}, as it was`, ...remarks];
  await files.write();
  const done = `written for ${renderer}: ${summary(settings)}`;
  if (!(await systemdRuns(host))) return [done, ...remarks];
  const run = (...argv: [string, ...string[]]) =>
    runTool(host, argv, { doing: 'prepare the network', code: 'NetworkNotConfigured', signal });
  try {
    if (renderer === 'netplan') await run('netplan', 'generate');
  } catch (error) {
    await files.putBack();
    throw error;
  }
  remarks.push(...(await renameCards(host, settings, signal)));
  if (renderer === 'networkd') {
    await run('systemctl', 'enable', 'systemd-networkd.service');
    // It waits for the one who asks: it is ordered behind.
    await run('systemctl', 'start', '--no-block', 'systemd-networkd.service');
  }
  return [done, ...remarks];
}
