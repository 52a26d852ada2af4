import { asRecord, omitUndefined, textOf } from '../../../../kit/json.ts';
import type { Host } from '../../../host/host.ts';
import type { NetworkConfig } from '../../../platform/instance/instance.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree } from '../contract/tree.ts';
import type { SourceContext } from '../detection/source.ts';
import { readLabelledVolume } from '../volumes/labelled-volume.ts';
import { type NoCloudLine, parseNoCloudLine } from './nocloud-line.ts';
import { readSeedTree, type Seed } from './seed.ts';

/** Where cloud-init looks for a seed in the image (`DataSourceNoCloud.seed_dirs`); the first counts. */
const SEED_DIRECTORIES = ['/var/lib/cloud/seed/nocloud', '/var/lib/cloud/seed/nocloud-net'];

const LABELS = ['cidata', 'CIDATA'];

/**
 * Reads NoCloud by cloud-init's rules: settings in the SMBIOS serial number and on the kernel command line, a
 * seed directory in the image, the image's own configuration, a volume labelled cidata. For each key of the metadata
 * the first of these counts, for user data the last. A `seedfrom` setting replaces the user data by those of its
 * place, which may be a web server.
 *
 * @throws HostError if a seed is there but unreadable
 * @throws SourceError if its place on the network gives nothing
 */
export async function readNoCloud(context: SourceContext): Promise<SourceAnswer> {
  const { machine, settings, patienceMs } = context;
  const { host } = machine;
  const configured = asRecord(settings.datasource.NoCloud) ?? {};
  const label = textOf(configured.fs_label);
  const volume = await readLabelledVolume(machine, label === undefined ? LABELS : [label], readSeedTree);
  const layers: Layer[] = [
    ...(await settingLines(host)).map(settingsLayer),
    ...layerOf(await seedDirectory(host)),
    ...configuredLayers(configured),
    ...layerOf(volume && { place: volume.device, seed: volume.found }),
  ];
  if (layers.length === 0) return { kind: 'not-mine', looked: [NOWHERE] };
  const metaData = mergeMetaData(layers);
  const { seedfrom, ...rest } = metaData;
  if (rest.dsmode === 'disabled') return { kind: 'not-mine' };
  const from = typeof seedfrom === 'string' ? seedfrom : undefined;
  const own = layers.findLast((layer) => layer.networkConfig !== undefined);
  const ownNetwork = own?.networkConfig && networkConfig(own.networkConfig, own.place);
  // The seed may lie on a server that is reached by this very network only.
  if (from !== undefined && ownNetwork !== undefined) context.offerNetwork(ownNetwork);
  const volumeSays =
    from !== undefined && volume && leadsElsewhere(layers, from) ? told(volume.found) : undefined;
  if (volume && volumeSays) {
    const unasked = {
      source: `nocloud (${volume.device}, seedfrom)`,
      userData: Buffer.alloc(0),
      metaData: rest,
      fromVolume: true,
      volumeSays,
    } as const;
    // Whoever may label a volume must not make a node ask an address of their choice.
    if (await context.refuse?.(unasked)) return found(unasked);
  }
  const seed = from === undefined ? layers.findLast((layer) => layer.userData !== undefined) : undefined;
  const data = from === undefined ? seed : await followSeed(machine, from, patienceMs);
  if (data === undefined) return { kind: 'not-mine', looked: [nothingAt(from)] };
  const followed = { ...data.metaData, ...rest };
  const remarks = [...layers.flatMap((layer) => layer.remarks), ...(from === undefined ? [] : data.remarks)];
  const { place } = data;
  const network = data.networkConfig === undefined ? ownNetwork : networkConfig(data.networkConfig, place);
  return found({
    source: `nocloud (${place})`,
    userData: data.userData ?? Buffer.alloc(0),
    metaData: { 'instance-id': 'nocloud', ...followed },
    ...omitUndefined({ vendorData: data.vendorData, networkConfig: network }),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(volume ? { fromVolume: true } : {}),
    ...(volumeSays ? { volumeSays } : {}),
  });
}

/** It is the volume, the last of the layers, that names the server. */
function leadsElsewhere(layers: readonly Layer[], from: string): boolean {
  const isOwn = mergeMetaData(layers.slice(0, -1)).seedfrom === undefined;
  return isOwn && !from.startsWith('/') && !from.startsWith('file://');
}

/** All that a seed says itself, in one form. */
function told({ userData, metaData, vendorData, networkConfig }: Seed): Buffer {
  const text = (bytes: Buffer | undefined) => bytes?.toString('base64') ?? null;
  return Buffer.from(
    JSON.stringify([text(userData), metaData.values, text(vendorData), text(networkConfig)]),
  );
}

/** Its settings are there: what they lead to may be on a volume that is attached or mounted late. */
const nothingAt = (from: string | undefined): string =>
  from === undefined
    ? 'nocloud: ds=nocloud, but no seed directory and no volume labelled cidata'
    : `nocloud: no seed at ${from}`;

const NOWHERE =
  'nocloud: no ds=nocloud on the kernel command line or in the SMBIOS serial number, no seed directory, no volume labelled cidata';

function networkConfig(bytes: Buffer, place: string): NetworkConfig {
  return {
    format: 'cloud-init',
    text: bytes.toString('utf8'),
    place: `network-config of nocloud (${place})`,
  };
}

interface Layer {
  place: string;
  metaData: Record<string, unknown>;
  userData?: Buffer;
  vendorData?: Buffer;
  networkConfig?: Buffer;
  remarks: Seed['metaData']['remarks'];
}

async function settingLines(host: Host): Promise<NoCloudLine[]> {
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
    const seed = await readSeedTree(directoryTree(host.files, place));
    if (seed !== undefined) return { place, seed };
  }
  return undefined;
}

/** What `datasource: {NoCloud: ...}` of the image's configuration gives: a place, or the data themselves. */
function configuredLayers(configured: Record<string, unknown>): Layer[] {
  const place = "the image's cloud.cfg";
  const { seedfrom } = configured;
  const from = typeof seedfrom === 'string' ? [{ place, metaData: { seedfrom }, remarks: [] }] : [];
  const userData = textOf(configured['user-data']);
  const metaData = asRecord(configured['meta-data']);
  if (userData === undefined || metaData === undefined) return from;
  const vendorData = textOf(configured['vendor-data']);
  const own = vendorData === undefined ? {} : { vendorData: Buffer.from(vendorData) };
  return [...from, { place, metaData, userData: Buffer.from(userData), ...own, remarks: [] }];
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

async function followSeed(
  machine: PlatformInfo,
  from: string,
  patienceMs: number,
): Promise<Layer | undefined> {
  const path = from.startsWith('file://') ? from.slice('file://'.length) : from;
  if (path.startsWith('/')) {
    const seed = await readSeedTree(directoryTree(machine.host.files, path));
    return seed === undefined ? undefined : layerOf({ place: path, seed })[0];
  }
  const { fetchSeed, fillDmi } = await import('./seed-url.ts');
  const address = await fillDmi(machine, from);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const scheme = /^[a-z]+:/i.exec(from)?.[0] ?? 'an unknown URL scheme';
    throw new SourceError(
      'refused',
      `The NoCloud seed URL has an unsupported scheme (${scheme}); use http or https.`,
    );
  }
  // The rest of the address may be a secret.
  return layerOf({ place: url.origin, seed: await fetchSeed(machine, address, patienceMs) })[0];
}
