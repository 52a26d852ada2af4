import { noteWiped } from '../engine/wiped-note.ts';
import type { Host } from '../host/host.ts';
import type { HandedOver } from '../userdata/user-data-reference.ts';
import { keep } from './saved-user-data.ts';

/** After success: later starts find what was done, and know that it has lost its secrets. @throws HostError */
export async function keepDone(
  host: Host,
  handedOver: Pick<HandedOver, 'digest'>,
  black: Buffer,
): Promise<void> {
  await noteWiped(host, black);
  await keep(host, handedOver, black);
}
