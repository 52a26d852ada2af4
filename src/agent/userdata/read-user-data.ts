import type { Document } from '../document/document.ts';
import type { Library } from './forms/included.ts';
import { holdsOthers } from './forms/stand-ins.ts';
import type { Instance } from './instance/instance.ts';
import type { NodeFile } from './node/node-files.ts';
import { type Decoded, decoded, documentOfParts, documentWith } from './read-document.ts';

/** What the machine adds to its user data. */
export interface Surroundings {
  onDisk?: readonly NodeFile[];
  /** What cloud.cfg of the image says. */
  image?: Decoded['image'];
  /** Where included texts come from. */
  library?: Library;
}

/**
 * Turns user data of any format into a document. What reads Ignition is loaded only where an Ignition config
 * was found. Bad input never throws; see `readDocument`.
 *
 * @throws NotYetIncluded if a server does not give what is included yet
 */
export async function readUserData(
  raw: Buffer,
  instance: Instance,
  { onDisk = [], image, library }: Surroundings = {},
): Promise<Document> {
  const found = decoded(raw, instance);
  const [only, ...others] = found.parts ?? [];
  if (only?.type === 'application/vnd.coreos.ignition+json' && others.length === 0) {
    const { readIgnition } = await import('./ignition/read-ignition.ts');
    return documentWith(readIgnition(only.source, found.report), found.report, instance, onDisk);
  }
  const whole = library === undefined ? found : await withIncluded(found, library);
  return documentOfParts({ ...whole, ...(image ? { image } : {}) }, instance, onDisk);
}

async function withIncluded(found: Decoded, library: Library): Promise<Decoded> {
  const { report, parts, vendorParts = [] } = found;
  if (!holdsOthers([...(parts ?? []), ...vendorParts])) return found;
  const { expand } = await import('./forms/expand.ts');
  return {
    ...found,
    parts: parts && (await expand(parts, library, report)),
    vendorParts: (await expand(vendorParts, library, report)) ?? [],
  };
}
