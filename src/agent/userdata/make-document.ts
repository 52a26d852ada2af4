import { omitUndefined } from '../../kit/json.ts';
import { placeText } from '../../kit/position.ts';
import type { Diagnostic, Document, InstanceData, KubeadmCommand, Position } from '../document/document.ts';
import { nothingAsked } from '../document/nothing-asked.ts';
import type { Instance } from '../platform/instance/instance.ts';
import { instanceTypeOf } from '../platform/instance/instance-type.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { tooManyDirectories } from '../text/too-many-directories.ts';
import { decodeUserData } from './decode/decode.ts';
import type { Part } from './decode/part.ts';
import type { ImageConfig } from './image-config.ts';
import { fromMetaData } from './instance/hostname.ts';
import { type NodeFile, readSettingsOfFiles } from './node-settings/node-files.ts';
import { merged, type SlipwayKey, withSlipway } from './node-settings/slipway.ts';
import { readParts } from './read-parts.ts';

/** User data in parts, and what is known to be wrong so far. */
export interface DecodedUserData {
  report: Diagnostics;
  /** Undefined after an error. */
  parts: Part[] | undefined;
  vendorParts?: Part[];
  /** What cloud.cfg of the image says; it counts where the user data says nothing. */
  image?: ImageConfig;
}

/** Undoes gzip, base64 and MIME. Parts that stand for others are still among them. */
export function decodeToParts(raw: Buffer, instance: Instance): DecodedUserData {
  const diagnostics = new Diagnostics([...(instance.remarks ?? [])]);
  return {
    report: diagnostics,
    parts: decodeUserData(raw, diagnostics),
    vendorParts: vendorParts(instance, diagnostics),
  };
}

/** Nobody who writes user data can mend vendor data: what is wrong with them is a warning. */
function vendorParts({ vendorData }: Instance, diagnostics: Diagnostics): Part[] {
  if (!vendorData?.toString('latin1').trim()) return [];
  const own = new Diagnostics();
  const parts = decodeUserData(vendorData, own, 'The vendor data');
  for (const { severity, message, code } of own.entries)
    diagnostics.warn(code, severity === 'error' ? `${message} It is ignored.` : message);
  return (parts ?? []).map(({ source, ...part }) => ({
    ...part,
    source: { ...source, within: 'vendor data' },
  }));
}

/**
 * The document that parts make: jinja is rendered, `#cloud-config` and scripts are read by cloud-init's rules (see docs/user-data.md).
 *
 * Bad input never throws; `diagnostics` has every error and warning, if possible with line and column. Do not act
 * upon a document with an error. It neither reads nor changes the machine.
 */
export function makeDocument(
  { report: diagnostics, parts, vendorParts = [], image }: DecodedUserData,
  instance: Instance,
  onDisk: readonly NodeFile[],
): Document {
  const document = emptyDocument(instance, diagnostics);
  if (parts === undefined) return withSettings(document, {}, onDisk);
  const all = { user: parts, vendor: vendorParts, ...(image ? { image } : {}) };
  const { slipway, ...read } = readParts(all, instance, diagnostics);
  // A cloud-config decides the name, even that it stays (preserve_hostname).
  if ('files' in read) delete document.hostname;
  return withSettings({ ...document, ...read, order: 'modules' }, slipway, onDisk);
}

/** A document of what another format provides. */
export function documentFromContent(
  content: Partial<Document>,
  diagnostics: Diagnostics,
  instance: Instance,
  onDisk: readonly NodeFile[],
): Document {
  const { preflight, node, withoutKubeadm, wipe, isMetadataGuarded, onError, deadlineSeconds } = content;
  const key = omitUndefined({
    preflight,
    node,
    withoutKubeadm,
    wipe,
    isMetadataGuarded,
    onError,
    deadlineSeconds,
  });
  return withSettings({ ...emptyDocument(instance, diagnostics), ...content }, key, onDisk);
}

/** The same for a call of kubeadm on a command line, which has the node's settings but no user data. */
export function documentOfCall(command: KubeadmCommand, onDisk: readonly NodeFile[]): Document {
  const empty = emptyDocument({ source: 'command line', metaData: {} }, new Diagnostics());
  return withSettings({ ...empty, commands: [command] }, {}, onDisk);
}

/** The user data's key `slipway` wins over the files; only this function decides that. */
function withSettings(document: Document, key: SlipwayKey, onDisk: readonly NodeFile[]): Document {
  const excess = tooManyDirectories(document);
  if (excess !== undefined) return { ...document, report: [...document.report, excess] };
  const diagnostics: Diagnostic[] = [];
  const settings = merged(readSettingsOfFiles(onDisk, document.files, diagnostics), key);
  return {
    ...withSlipway(document, settings),
    report: [...document.report, ...diagnostics, ...contradictions(document)],
  };
}

function emptyDocument(instance: Instance, diagnostics: Diagnostics): Document {
  const id = instance.metaData['instance-id'];
  const data: InstanceData = {
    source: instance.source,
    ...(instance.recognised === undefined ? {} : { recognised: instance.recognised }),
    ...alongside(instance),
    ...(id === undefined || id === null ? {} : { id: String(id) }),
  };
  const hostname = fromMetaData(instance.metaData);
  return {
    instance: data,
    ...(hostname === undefined ? {} : { hostname }),
    ...nothingAsked(),
    ...(instance.network === undefined ? {} : { network: instance.network }),
    report: diagnostics.entries,
  };
}

function alongside(instance: Instance): Partial<InstanceData> {
  const { cloud, vendorData, networkConfig } = instance;
  const instanceType = instanceTypeOf(instance);
  const { providerId, region, zone, addresses = [], publicKeys = [] } = cloud ?? {};
  return {
    ...omitUndefined({ providerId, instanceType, region, zone }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(publicKeys.length === 0 ? {} : { publicKeys: publicKeys.length }),
    ...(vendorData === undefined || vendorData.length === 0 ? {} : { vendorData: true }),
    ...(networkConfig === undefined ? {} : { networkConfig: networkConfig.place }),
  };
}

interface Place {
  path: string;
  where?: Position;
}

/** What cannot both be: a file, and something below it, or a directory in its place. Whichever comes first, the other one fails. */
function contradictions(document: Pick<Document, 'files' | 'directories' | 'links'>): Diagnostic[] {
  const { files, directories = [], links = [] } = document;
  const written = new Map<string, Place>();
  for (const file of files) if (!written.has(clean(file.path))) written.set(clean(file.path), file);
  const told = new Set<string>();
  const tell = (place: Place, words: string, file: Place): Diagnostic[] => {
    if (told.has(place.path)) return [];
    told.add(place.path);
    const at = file.where === undefined ? '' : ` (${placeText(file.where)})`;
    const message = `${place.path} ${words} ${file.path}${at}, which is written as a file.`;
    const where = place.where ?? file.where;
    return [
      { severity: 'error', code: 'UserDataInvalid', message, ...(where === undefined ? {} : { where }) },
    ];
  };
  const places = [...files, ...directories, ...links];
  const fileAbove = filesAbove(
    places.map(({ path }) => clean(path)),
    written,
  );
  const below = places.flatMap((place) => {
    const file = fileAbove.get(clean(place.path));
    return file === undefined ? [] : tell(place, 'is below', file);
  });
  const inPlace = directories.flatMap((place) => {
    const file = written.get(clean(place.path));
    return file === undefined ? [] : tell(place, 'is a directory at the path of', file);
  });
  return [...below, ...inPlace];
}

const clean = (path: string): string => path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');

/**
 * For each path that lies below a file, the topmost such file. The paths are looked at in the order of a tree, where all that lies
 * below a file follows it: to look up each directory of each path would take as long as the square of a path's length.
 */
function filesAbove(paths: readonly string[], written: ReadonlyMap<string, Place>): Map<string, Place> {
  // NUL, which no path holds, sorts before every other character.
  const inOrder = [...new Set(paths)].map((path) => path.replaceAll('/', '\0')).sort();
  const found = new Map<string, Place>();
  let top: { below: string; file: Place } | undefined;
  for (const key of inOrder) {
    const path = key.replaceAll('\0', '/');
    if (top !== undefined && key.startsWith(top.below)) {
      found.set(path, top.file);
      continue;
    }
    const file = written.get(path);
    if (file !== undefined) top = { below: `${key}\0`, file };
  }
  return found;
}
