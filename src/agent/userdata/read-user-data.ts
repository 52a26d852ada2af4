import type { ChunkedUserData, Document } from '../document/document.ts';
import { type Limit, unlimited } from '../host/time-limit.ts';
import type { Instance } from '../platform/instance/instance.ts';
import type { Part } from './decode/part.ts';
import { renderedConfig, withMetaData } from './ignition-metadata.ts';
import type { IncludeSource } from './includes/fetch-include.ts';
import { hasContainers } from './includes/include-lines.ts';
import { type DecodedUserData, decodeToParts, documentFromContent, makeDocument } from './make-document.ts';
import type { Native } from './native/read-native.ts';
import type { NodeFile } from './node-settings/node-files.ts';
import type { FoundStub } from './sealed/find-stub.ts';

/** What the machine adds to its user data. */
interface Surroundings {
  onDisk?: readonly NodeFile[];
  /** What cloud.cfg of the image says. */
  image?: DecodedUserData['image'];
  /** Where included texts come from. */
  library?: IncludeSource;
  /** Somebody opens what is sealed; else a stub gets a warning. */
  opensSealed?: boolean;
  /** How long reading may hold this process. */
  limit?: Limit;
}

/**
 * Turns user data of any format into a document. What reads Ignition is loaded only where an Ignition config
 * was found. Bad input never throws; see `makeDocument`.
 *
 * @throws IncludeUnavailable if a server does not give what is included yet
 * @throws TimeLimitError
 */
export async function readUserData(
  raw: Buffer,
  instance: Instance,
  { onDisk = [], image, library, opensSealed = false, limit = unlimited }: Surroundings = {},
): Promise<Document> {
  const found = limit(() => decodeToParts(raw, instance));
  const stub = await stubAmong(found);
  if (stub !== undefined) {
    if (!opensSealed && stub !== 'bad') found.report.warn('UserDataSealed', SEALED);
    const content = { withoutKubeadm: true, ...(stub === 'bad' ? {} : { sealed: stub }) };
    return documentFromContent(content, found.report, instance, []);
  }
  const chunked = await chunksAmong(found, library);
  if (chunked !== undefined) {
    if (!opensSealed) found.report.warn('UserDataSealed', CHUNKED);
    return documentFromContent({ withoutKubeadm: true, chunked }, found.report, instance, []);
  }
  const [given, ...others] = found.parts ?? [];
  const only =
    given && others.length === 0 ? limit(() => renderedConfig(given, instance, found.report)) : undefined;
  if (only?.type === 'application/vnd.coreos.ignition+json') {
    const { readIgnition } = await import('./ignition/read-ignition.ts');
    const { report } = found;
    const content = await readIgnition(only.source, report, library, limit);
    const host = library?.isOffline ? undefined : library?.host;
    const whole = await withMetaData(content, instance, report, host);
    return limit(() => documentFromContent(whole, report, instance, onDisk));
  }
  const whole = library === undefined ? found : await withIncluded(found, library);
  const all = { ...whole, ...(image ? { image } : {}) };
  return whole.parts?.some(({ type }) => type === NATIVE)
    ? withNative(all, whole.parts, instance, onDisk, limit)
    : limit(() => makeDocument(all, instance, onDisk));
}

const NATIVE = 'application/vnd.slipway+yaml';
const SEALED = 'This is a valid stub of sealed user data; only its machine can open the sealed part.';

/** What reads a stub is loaded only where the word is. */
async function stubAmong({ parts = [], report }: DecodedUserData): Promise<FoundStub> {
  if (!parts.some(({ source }) => source.text.includes('sealed'))) return undefined;
  const { findStub } = await import('./sealed/find-stub.ts');
  return findStub(parts, report);
}

const CHUNKED =
  "This fetches the real user data, in the form of Cluster API's AWS provider; only the machine can fetch and check it.";

/** What was fetched already, by cloud-init and the boothook itself, is there to be included. */
async function chunksAmong(
  { parts = [] }: DecodedUserData,
  library: IncludeSource | undefined,
): Promise<ChunkedUserData | undefined> {
  if (parts[0]?.type !== 'text/cloud-boothook') return undefined;
  const { findChunks } = await import('./chunked/find-chunks.ts');
  const found = findChunks(parts);
  const isThere = found && library && !library.isOffline && (await library.host.files.stat(found.file));
  return isThere ? undefined : found;
}

/** Parts in Slipway's own format, alone or among others; what reads it is loaded only here. */
async function withNative(
  found: DecodedUserData,
  parts: readonly Part[],
  instance: Instance,
  onDisk: readonly NodeFile[],
  limit: Limit,
): Promise<Document> {
  const { joinDocument, readNative } = await import('./native/read-native.ts');
  const { withMetadata } = await import('./native/of-metadata.ts');
  return limit(() => {
    const natives: Native[] = [];
    for (const { type, source } of parts) {
      if (type !== NATIVE) continue;
      const report = found.report.of(source);
      const native = readNative(source, report);
      if (native?.content.order === 'stages' && parts.length > 1)
        report.error(
          'UserDataInvalid',
          'With order: ignition it must be the whole user data.',
          source.locate(0),
        );
      if (native !== undefined) natives.push(native);
    }
    const others = parts.filter(({ type }) => type !== NATIVE);
    const base =
      others.length === 0
        ? documentFromContent(
            natives[0] ? { order: natives[0].content.order } : {},
            found.report,
            instance,
            onDisk,
          )
        : makeDocument({ ...found, parts: others }, instance, onDisk);
    const whole = natives.reduce(joinDocument, base);
    const document = documentFromContent({ ...whole, report: base.report }, found.report, instance, onDisk);
    return withMetadata(document, instance);
  });
}

async function withIncluded(found: DecodedUserData, library: IncludeSource): Promise<DecodedUserData> {
  const { report, parts, vendorParts = [] } = found;
  if (!hasContainers([...(parts ?? []), ...vendorParts])) return found;
  const { expandParts } = await import('./includes/expand-parts.ts');
  return {
    ...found,
    parts: parts && (await expandParts(parts, library, report)),
    vendorParts: (await expandParts(vendorParts, library, report)) ?? [],
  };
}
