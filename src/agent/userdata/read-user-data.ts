import type { Document } from '../document/document.ts';
import type { Instance } from './instance/instance.ts';
import type { NodeFile } from './node/node-files.ts';
import { decoded, documentOfParts, documentWith } from './read-document.ts';

/**
 * Turns user data of any format into a document. What reads Ignition is loaded only where an Ignition config
 * was found. Bad input never throws; see `readDocument`.
 */
export async function readUserData(
  raw: Buffer,
  instance: Instance,
  onDisk: readonly NodeFile[] = [],
): Promise<Document> {
  const found = decoded(raw, instance);
  const [only, ...others] = found.parts ?? [];
  if (only?.type !== 'application/vnd.coreos.ignition+json' || others.length > 0)
    return documentOfParts(found, instance, onDisk);
  const { readIgnition } = await import('./ignition/read-ignition.ts');
  return documentWith(readIgnition(only.source, found.report), found.report, instance, onDisk);
}
