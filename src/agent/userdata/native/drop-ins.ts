import { positionText } from '../../../kit/position.ts';
import type { Diagnostic, Document } from '../../document/document.ts';
import { CONFIG_FILES } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { writableByOthers } from '../../host/writable-by-others.ts';
import type { Instance } from '../../platform/instance/instance.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { isOwnDocument } from '../../text/own-document.ts';
import { plainText } from '../../text/source-text.ts';
import { withMetadata } from './of-metadata.ts';
import { type Native, readNative } from './read-native.ts';

/** A document that lies on the machine, or why it is not used. */
type DropIn = readonly [path: string, text: string, unsafe?: string];

/**
 * User data with what documents of the image add: their lists come first, and where both say something the user data count.
 * What is wrong with them is in the report, with their path.
 */
export function withDropIns(
  document: Document,
  dropIns: readonly DropIn[],
  instance: Pick<Instance, 'cloud' | 'metaData'>,
): Document {
  const diagnostics: Diagnostic[] = [];
  let all = document;
  // The last one is nearest to the user data.
  for (const [path, text, unsafe] of dropIns.toReversed()) {
    const own = new Diagnostics();
    if (unsafe !== undefined) own.error('ConfigFileUnsafe', `not used: ${unsafe}`);
    const native = unsafe === undefined ? readNative(plainText(text), own) : undefined;
    if (native !== undefined && document.order && native.content.order !== document.order)
      own.error('UserDataInvalid', 'its order is not that of the user data.');
    for (const { where, message, ...entry } of own.entries)
      diagnostics.push({
        ...entry,
        message: `${path}${where === undefined ? '' : ` ${positionText(where)}`}: ${message}`,
      });
    if (native !== undefined) all = under(all, native);
  }
  return withMetadata({ ...all, report: [...document.report, ...diagnostics] }, instance);
}

function under(document: Document, { content, name }: Native): Document {
  const { order: _order, node, ...added } = content;
  const before = new Map(Object.entries(document));
  const entries = Object.entries(added).flatMap(([key, value]): [string, unknown][] => {
    const earlier = before.get(key);
    if (Array.isArray(earlier) && Array.isArray(value)) return [[key, [...value, ...earlier]]];
    return earlier === undefined ? [[key, value]] : [];
  });
  const isNamed = document.hostname !== undefined || document.keepsName;
  return {
    ...document,
    ...Object.fromEntries(entries),
    ...(node === undefined ? {} : { node: { ...node, ...document.node } }),
    ...(isNamed ? {} : name),
  };
}

const MAX_BYTES = 1024 * 1024;

/** The documents among the files of /etc/slipway/config.d; the others are settings. @throws HostError */
export async function findDropIns(host: Host): Promise<DropIn[]> {
  const found: DropIn[] = [];
  for (const name of await host.files.list(CONFIG_FILES.dropIns)) {
    if (!/^[^.].*\.ya?ml$/.test(name)) continue;
    const path = `${CONFIG_FILES.dropIns}/${name}`;
    const text = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8') ?? '';
    if (!isOwnDocument(text)) continue;
    const unsafe = await writableByOthers(host, path);
    found.push(unsafe === undefined ? [path, text] : [path, '', unsafe]);
  }
  return found;
}
