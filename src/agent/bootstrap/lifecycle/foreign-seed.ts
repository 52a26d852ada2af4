import type { Failure } from '../../../protocol/journal.ts';
import { failure } from '../../engine/failure.ts';
import { lastInstance, notedSeed, seedDigest } from '../../engine/last-instance.ts';
import { areWiped } from '../../engine/wiped-note.ts';
import type { Host } from '../../host/host.ts';
import { findStateUnusable } from './find-state.ts';

/**
 * Why a node reads nothing of the user data that a boot finds on a volume: they are others than those that made it a node. A pod
 * that has a volume of its own, as a block device, can label it as seeds are labelled, and whatever is told there is done as root.
 *
 * @param found What a source gave with the help of a volume
 * @returns undefined where they are the same, where the machine is no node, and where an older version noted nothing of them
 */
export async function foreignSeed(
  host: Host,
  found: { readonly source: string; readonly userData: Uint8Array; readonly volumeSays?: Uint8Array },
): Promise<Failure | undefined> {
  const noted = await notedSeed(host);
  if (noted === undefined || noted === seedDigest(found.volumeSays ?? found.userData)) return undefined;
  // A volume may lead to user data on this machine's disk, which lose their secrets upon success.
  if (noted !== null && (await areWiped(host, found.userData))) return undefined;
  if ((await findStateUnusable(host, await lastInstance(host))).state === 'unusable') return undefined;
  const before = noted === null ? 'came on no volume' : 'were others';
  const cause = `They are of ${found.source}, and those that made this machine a node ${before}. A volume of anybody can have that label; slipway bootstrap --again takes it.`;
  return failure('UserDataNotFound', cause);
}
