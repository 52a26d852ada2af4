import { noteWiped } from '../engine/wiped-note.ts';
import type { Host } from '../host/host.ts';
import type { OpenedUserData } from '../userdata/user-data-reference.ts';
import { saveUserData } from './saved-user-data.ts';

/** After success: later starts find what was done, and know that it has lost its secrets. @throws HostError */
export async function saveAfterSuccess(
  host: Host,
  handedOver: Pick<OpenedUserData, 'digest'>,
  black: Buffer,
): Promise<void> {
  await noteWiped(host, black);
  await saveUserData(host, handedOver, black);
}
