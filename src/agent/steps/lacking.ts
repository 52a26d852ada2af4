import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { lackingDisks } from './ahead/lacking-disks.ts';
import { lackingServices } from './ahead/lacking-services.ts';
import { lackingSettings } from './ahead/lacking-settings.ts';

/** What this machine has nothing for, while the rest is done all the same: a plan warns of it. */
export async function lacking(host: Host, document: Document): Promise<ReportEntry[]> {
  // Commands of the boot run before, and may bring what is missing.
  if (host.platform === 'windows' || document.bootCommands.length > 0) return [];
  return [
    ...(await lackingSettings(host, document)),
    ...(await lackingDisks(host, document)),
    ...(await lackingServices(host, document)),
  ];
}
