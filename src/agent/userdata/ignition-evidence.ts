import type { Host } from '../host/host.ts';

/** What Ignition leaves behind: its configuration, until the next boot, and its result, for good (from 2.12 on). */
const TRACES = ['/run/ignition.json', '/etc/.ignition-result.json'];
/** Images with Ignition name their platform to it. */
const PLATFORM = /(?:^|\s)(?:core|flatcar|ignition)\.(?:oem|platform)\.id=/;

/**
 * What shows that Ignition itself acts upon this machine's user data; undefined if nothing does. Whoever did so too would format
 * disks and write files a second time.
 */
export async function ignitionEvidence(host: Host): Promise<string | undefined> {
  for (const path of TRACES) if (await host.files.stat(path)) return path;
  const line = (await host.files.readIfPresent('/proc/cmdline', 65_536))?.toString('utf8') ?? '';
  return PLATFORM.exec(line)?.[0].trim();
}
