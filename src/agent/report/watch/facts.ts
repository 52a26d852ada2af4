import type { FactEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';

/** A few things that one asks first about a machine that failed. */
export async function firstFacts(host: Host, version: string): Promise<FactEvent[]> {
  const read = async (path: string) => (await host.files.readIfPresent(path))?.toString('utf8') ?? '';
  const own = async (path: string) => (await host.ownFiles.readIfPresent(path))?.toString('utf8') ?? '';
  const os = /^PRETTY_NAME="?([^"\n]*)/m.exec(await read('/etc/os-release'))?.[1];
  const kernel = (await own('/proc/sys/kernel/osrelease')).trim();
  const kib = Number(/^MemTotal:\s+(\d+)/m.exec(await own('/proc/meminfo'))?.[1]);
  const cpus = (await own('/proc/cpuinfo')).match(/^processor\s*:/gm)?.length;
  const facts: [string, string | undefined][] = [
    ['slipway', version],
    ['os', os],
    ['kernel', kernel],
    ['cpus', cpus === undefined ? undefined : String(cpus)],
    ['memory', Number.isNaN(kib) ? undefined : `${Math.round(kib / 1024)} MiB`],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ type: 'fact', name, value }] : []));
}
