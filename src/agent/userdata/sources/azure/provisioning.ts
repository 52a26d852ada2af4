import { SourceError } from '../../../platform/metadata/source-error.ts';
import { elementAt, parseXml, type XmlElement, XmlError } from '../../../platform/metadata/xml.ts';
import type { Tree } from '../contract/tree.ts';

/** What Azure's provisioning media say (ovf-env.xml). */
export interface Provisioning {
  customData: Buffer;
  hostname?: string;
  /** Keys that are written out; others are only named by fingerprints. */
  publicKeys: string[];
}

/**
 * Reads ovf-env.xml of a directory or volume.
 *
 * @returns undefined if there is none, or it is not Azure's
 * @throws SourceError if it is damaged, or of a machine that waits for its owner
 */
export async function readProvisioning(tree: Tree): Promise<Provisioning | undefined> {
  const bytes = await tree.read('ovf-env.xml');
  if (bytes === undefined) return undefined;
  const section = elementAt(parsed(bytes, tree.place), 'ProvisioningSection');
  if (section === undefined) return undefined;
  const set = elementAt(section, 'LinuxProvisioningConfigurationSet');
  if (set === undefined)
    throw new SourceError(
      'refused',
      `ovf-env.xml of ${tree.place} has no LinuxProvisioningConfigurationSet.`,
    );
  const hostname = elementAt(set, 'HostName')?.text.trim();
  const keys = elementAt(set, 'SSH', 'PublicKeys')?.children ?? [];
  return {
    customData: Buffer.from(elementAt(set, 'CustomData')?.text ?? '', 'base64'),
    ...(hostname ? { hostname } : {}),
    publicKeys: keys.flatMap((key) => elementAt(key, 'Value')?.text.trim() || []),
  };
}

function parsed(bytes: Buffer, place: string): XmlElement {
  try {
    return parseXml(bytes.toString('utf8'));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SourceError('refused', `ovf-env.xml of ${place} cannot be read: ${error.message}.`);
  }
}
