import type { Host } from '../host/host.ts';

/**
 * Who this machine is, for run-once decisions: cloud-init's instance id where cloud-init runs the boot, else
 * the machine id. A journal that was baked into an image carries another one and does not count.
 */
export async function machineInstance(host: Host): Promise<string> {
  for (const path of ['/var/lib/cloud/data/instance-id', '/etc/machine-id']) {
    const text = (await host.files.readIfPresent(path, 4096))?.toString('utf8').trim();
    if (text) return text;
  }
  return 'unknown';
}
