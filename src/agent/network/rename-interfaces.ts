import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { INTERFACES_DIR, interfacesByAddress } from '../platform/interfaces.ts';
import { runTool } from '../tools/run-tool.ts';
import { globalAddresses } from './addresses.ts';

/**
 * Gives cards the names that they are to have. One that is in use keeps its name until udev gives it the other at the next boot; so
 * does one whose new name another has.
 *
 * @returns what a person should know
 */
export async function renameInterfaces(
  host: Host,
  { links }: NetworkSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const wanted = links.filter(({ renames }) => renames);
  if (wanted.length === 0) return [];
  const cards = await interfacesByAddress(host);
  const inUse = globalAddresses(host).map(({ name }) => name);
  const remarks: string[] = [];
  for (const { name = '', match } of wanted) {
    const present = match?.mac === undefined ? undefined : cards.get(match.mac);
    if (present === undefined || present === name) continue;
    if (inUse.includes(present) || (await host.files.stat(`${INTERFACES_DIR}/${name}`)) !== undefined) {
      remarks.push(`${present} is to be called ${name}, which waits for the next boot.`);
      continue;
    }
    const run = (...argv: [string, ...string[]]) =>
      runTool(host, argv, { doing: `call ${present} ${name}`, code: 'NetworkNotConfigured', signal });
    await run('ip', 'link', 'set', 'dev', present, 'down');
    await run('ip', 'link', 'set', 'dev', present, 'name', name);
  }
  return remarks;
}
