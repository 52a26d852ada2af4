import type { Host } from '../../host/host.ts';
import { readSystemFacts } from '../instance/read-system-facts.ts';
import { found, type SourceAnswer } from './answer.ts';
import { readLabelledVolume } from './labelled-volume.ts';
import { type NoCloudLine, parseNoCloudLine } from './nocloud-line.ts';
import { readSeed, type Seed } from './seed-directory.ts';

/** Where cloud-init looks for a seed in the image (`DataSourceNoCloud.seed_dirs`); the first counts. */
const SEED_DIRECTORIES = ['/var/lib/cloud/seed/nocloud', '/var/lib/cloud/seed/nocloud-net'];

/**
 * Reads NoCloud by cloud-init's rules: settings in the SMBIOS serial number and on the kernel command line, a
 * seed directory in the image, a volume labelled cidata. For each key of the metadata the first of these
 * counts, for user data the last. A `seedfrom` setting replaces the user data by those of its place; if that
 * place is on the network, the answer is `needs-network`.
 *
 * @throws HostError if a seed is there but unreadable
 */
export async function findNoCloud(host: Host): Promise<SourceAnswer> {
  const lines = await settings(host);
  const directory = await seedDirectory(host);
  const volume = await readLabelledVolume(host);
  const layers: Layer[] = [
    ...lines.map(settingsLayer),
    ...layerOf(directory),
    ...layerOf(volume && asPlaced(volume)),
  ];
  if (layers.length === 0) return { kind: 'not-mine' };
  const metaData = mergeMetaData(layers);
  const { seedfrom, ...rest } = metaData;
  if (rest.dsmode === 'disabled') return { kind: 'not-mine' };
  const from = typeof seedfrom === 'string' ? seedfrom : undefined;
  const seed = from === undefined ? layers.findLast((layer) => layer.userData !== undefined) : undefined;
  const data = from === undefined ? seed : await followSeed(host, from);
  if (data !== undefined && 'reason' in data)
    return { kind: 'needs-network', source: 'nocloud', reason: data.reason };
  const followed = data === undefined ? rest : { ...data.metaData, ...rest };
  const remarks = [
    ...layers.flatMap((layer) => layer.remarks),
    ...(from === undefined ? [] : (data?.remarks ?? [])),
  ];
  const place = data?.place ?? 'kernel command line';
  return found({
    source: `nocloud (${place})`,
    userData: data?.userData ?? Buffer.alloc(0),
    metaData: { 'instance-id': 'nocloud', ...followed },
    ...(data?.vendorData === undefined ? {} : { vendorData: data.vendorData }),
    system: await readSystemFacts(host),
    ...(remarks.length === 0 ? {} : { remarks }),
  });
}

interface Layer {
  place: string;
  metaData: Record<string, unknown>;
  userData?: Buffer;
  vendorData?: Buffer;
  remarks: Seed['metaData']['remarks'];
}

async function settings(host: Host): Promise<NoCloudLine[]> {
  const texts = await Promise.all(
    ['/sys/class/dmi/id/product_serial', '/proc/cmdline'].map((path) => host.files.readIfPresent(path)),
  );
  return texts.flatMap((text) => parseNoCloudLine(text?.toString('latin1') ?? '') ?? []);
}

function settingsLayer({ metaData, seedFrom }: NoCloudLine): Layer {
  const seed = seedFrom === undefined ? {} : { seedfrom: seedFrom };
  return { place: 'kernel command line', metaData: { ...metaData, ...seed }, remarks: [] };
}

async function seedDirectory(host: Host): Promise<{ place: string; seed: Seed } | undefined> {
  for (const place of SEED_DIRECTORIES) {
    const seed = await readSeed(host.files, place);
    if (seed !== undefined) return { place, seed };
  }
  return undefined;
}

function asPlaced({ device, seed }: { device: string; seed: Seed }): { place: string; seed: Seed } {
  return { place: device, seed };
}

function layerOf(placed: { place: string; seed: Seed } | undefined): Layer[] {
  if (placed === undefined) return [];
  const { metaData, ...data } = placed.seed;
  return [{ place: placed.place, ...data, metaData: metaData.values, remarks: metaData.remarks }];
}

/** The earlier layer wins; mappings merge key by key (cloud-init's `mergemanydict`). */
function mergeMetaData(layers: readonly Layer[]): Record<string, unknown> {
  return layers.reduceRight<Record<string, unknown>>(
    (merged, layer) => mergeOver(layer.metaData, merged),
    {},
  );
}

function mergeOver(winner: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const result = { ...other };
  for (const [key, value] of Object.entries(winner)) {
    const below = result[key];
    result[key] = isRecord(value) && isRecord(below) ? mergeOver(value, below) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function followSeed(host: Host, from: string): Promise<Layer | { reason: string } | undefined> {
  const path = from.startsWith('file://') ? from.slice('file://'.length) : from;
  if (!path.startsWith('/')) {
    const scheme = /^[a-z]+:\/\//i.exec(from)?.[0] ?? 'an unknown kind of address';
    return { reason: `The NoCloud seed is on the network (${scheme}...).` };
  }
  const seed = await readSeed(host.files, path);
  return seed === undefined ? undefined : layerOf({ place: path, seed })[0];
}
