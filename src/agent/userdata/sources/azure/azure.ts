import { asRecord, at, type JsonRecord, omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import type { Host } from '../../../host/host.ts';
import { basesOf, type MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { elementAt, parseXml, type XmlElement, XmlError } from '../../../platform/metadata/xml.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';
import { readFirst } from '../volumes/labelled-volume.ts';
import { scan } from '../volumes/scan.ts';
import { readyCallback } from './report-ready.ts';

/** A seed in the image, and where Azure's agent keeps the media's file after the first boot. */
const DIRECTORIES = ['/var/lib/cloud/seed/azure', '/var/lib/waagent'];
/** Where udev rules put the temporary disk, by those of cloud-init and of azure-vm-utils. */
const RESOURCE_DISKS = ['/dev/disk/cloud/azure_resource', '/dev/disk/azure/resource'];
/** Where Azure's provisioning of Windows puts the custom data; it tells the cloud of the machine itself. */
const ON_WINDOWS = 'C:/AzureData/CustomData.bin';
const CALLED = "Azure's metadata service";

/**
 * Azure (`DataSourceAzure`): custom data of the provisioning media, else user data of the metadata service, whose metadata are
 * wanted in both cases.
 */
export function readAzure(context: SourceContext): Promise<SourceAnswer> {
  const options = {
    bases: basesOf('http://169.254.169.254'),
    headers: { Metadata: 'true' },
    redirects: 'never',
    called: CALLED,
  } as const;
  return metadataClientFor(context, 'Azure', options, async (client) => {
    const { machine } = context;
    const media = await findMedia(machine);
    const imds = await instanceMetadata(client);
    const compute = asRecord(imds.compute) ?? {};
    if (
      at(imds, 'extended', 'compute', 'ppsType') !== undefined &&
      !['None', ''].includes(String(at(imds, 'extended', 'compute', 'ppsType')))
    )
      throw new SourceError(
        'refused',
        'This machine is pre-provisioned and waits for its owner, which only cloud-init and the Azure agent support.',
      );
    const hostname = textOf(at(compute, 'osProfile', 'computerName')) ?? media?.data.hostname ?? '';
    const custom = media?.data.customData ?? Buffer.alloc(0);
    const place = media?.place ?? 'IMDS';
    return found({
      source: `azure (${place})`,
      ...(place.startsWith('/dev/') ? { fromVolume: true } : {}),
      userData: custom.length > 0 ? custom : Buffer.from(textOf(compute.userData) ?? '', 'base64'),
      metaData: {
        'instance-id': machine.dmi('product_uuid').toLowerCase() || textOf(compute.vmId),
        'local-hostname': hostname,
        imds,
      },
      deviceAliases: { ephemeral0: await resourceDisk(machine.host) },
      cloud: {
        name: 'azure',
        platform: 'azure',
        subplatform: subplatform(place),
        ...told(imds, compute, media?.data),
      },
      callbacks: machine.host.platform === 'windows' ? [] : [readyCallback(machine.host, context.patienceMs)],
    });
  });
}

async function findMedia(machine: PlatformInfo): Promise<{ place: string; data: Provisioning } | undefined> {
  if (machine.host.platform === 'windows') {
    const customData = await machine.host.files.readIfPresent(ON_WINDOWS);
    return customData && { place: ON_WINDOWS, data: { customData, publicKeys: [] } };
  }
  const onVolume = await readFirst(
    machine,
    (await scan(machine)).filter(({ type }) => type !== 'vfat'),
    readProvisioning,
  );
  if (onVolume !== undefined) return { place: onVolume.device, data: onVolume.found };
  for (const place of DIRECTORIES) {
    const data = await readProvisioning(directoryTree(machine.host.files, place));
    if (data !== undefined) return { place, data };
  }
  return undefined;
}

/** The service learns of a new machine a little late: 404 and 410 pass. Old stacks know only the older version. */
async function instanceMetadata(client: MetadataClient): Promise<JsonRecord> {
  const path = (version: string) => `/metadata/instance?api-version=${version}`;
  const newest = await client.answer(`${path('2021-08-01')}&extended=true`, {
    passing: [404, 410],
    accept: [400],
  });
  const answered = newest?.status === 400 ? undefined : newest;
  const text = answered?.body ?? (await client.text(path('2019-06-01'), { passing: [404, 410] })) ?? '';
  const imds = parsed(text);
  if (imds === undefined) throw new SourceError('not-yet', `${CALLED} returned an answer that is not JSON.`);
  return imds;
}

function parsed(text: string): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(Buffer.from(text, 'latin1').toString('utf8')));
  } catch {
    return undefined;
  }
}

function told(imds: JsonRecord, compute: JsonRecord, media: Provisioning | undefined) {
  const region = textOf(compute.location);
  // As cloud-init: the fault domain stands for a zone where there is none.
  const zone = textOf(compute.zone) ?? textOf(compute.platformFaultDomain);
  const resource = textOf(compute.resourceId);
  const first = at(imds, 'network', 'interface', 0, 'ipv4', 'ipAddress', 0);
  const keys = Object.values(asRecord(compute.publicKeys) ?? compute.publicKeys ?? {}) as unknown[];
  const written = textsOf(keys.map((key) => at(key, 'keyData'))).map((key) => key.replaceAll('\r\n', ''));
  return {
    ...(resource === undefined ? {} : { providerId: `azure://${resource}` }),
    ...omitUndefined({ region, zone }),
    addresses: textsOf([at(first, 'privateIpAddress'), at(first, 'publicIpAddress')]),
    publicKeys: written.length > 0 ? written : (media?.publicKeys ?? []),
  };
}

function subplatform(place: string): string {
  if (place === 'IMDS') return 'imds (IMDS)';
  return `${place.startsWith('/dev/') ? 'config-disk' : 'seed-dir'} (${place})`;
}

async function resourceDisk({ files }: Host): Promise<string> {
  for (const path of RESOURCE_DISKS) if ((await files.stat(path)) !== undefined) return path;
  return RESOURCE_DISKS[0] ?? '';
}

/** What Azure's provisioning media say (ovf-env.xml). */
interface Provisioning {
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
async function readProvisioning(tree: Tree): Promise<Provisioning | undefined> {
  const bytes = await tree.read('ovf-env.xml');
  if (bytes === undefined) return undefined;
  const section = elementAt(parsedXml(bytes, tree.place), 'ProvisioningSection');
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

function parsedXml(bytes: Buffer, place: string): XmlElement {
  try {
    return parseXml(bytes.toString('utf8'));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SourceError('refused', `ovf-env.xml of ${place} cannot be read: ${error.message}.`);
  }
}
