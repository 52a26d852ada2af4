import type { InstanceData } from '../../document/document.ts';
import { INSTANCE_FILE } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';

/** Keeps what the source said of the machine, for `slipway facts` and the reporter, in a place that a reboot empties. */
export async function saveInstance(host: Host, instance: InstanceData): Promise<void> {
  const { source, id, instanceType, region, zone, providerId } = instance;
  const kept = { source, id, instanceType, region, zone, providerId };
  try {
    await host.files.write(INSTANCE_FILE, `${JSON.stringify(kept)}\n`, { mode: 0o644, volatile: true });
  } catch (error) {
    // Nothing of the bootstrap rests on it, and a /run that takes nothing is told of elsewhere.
    if (!(error instanceof HostError)) throw error;
  }
}
