import type { Host } from '../host/host.ts';

/**
 * Who this machine is, for run-once decisions: cloud-init's instance id where cloud-init runs the boot, else
 * the machine id. A journal that was baked into an image carries another one and does not count.
 */
export async function machineInstance(host: Host): Promise<string> {
  const given = (await host.files.readIfPresent('/var/lib/cloud/data/instance-id', 4096))
    ?.toString('utf8')
    .trim();
  return given || (await host.machineId()) || 'unknown';
}
