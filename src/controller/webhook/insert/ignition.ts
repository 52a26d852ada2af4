import { asRecord, type JsonRecord } from '../../../kit/json.ts';
import { type InsertedFile, type Insertion, unsupported } from './inserted-file.ts';

/**
 * Adds files to an Ignition config of version 2 or 3. Everything else keeps its value and its order; the spelling (white space,
 * escapes) may change, which no reader of JSON notices.
 */
export function insertIntoIgnition(text: string, files: readonly InsertedFile[]): Insertion {
  const config = parse(text);
  const version = asRecord(config?.ignition)?.version;
  if (config === undefined || typeof version !== 'string')
    return unsupported('it is not an Ignition config with a version');
  if (!/^[23]\./.test(version)) return unsupported(`Ignition ${version} is not known`);
  const storage = config.storage ?? {};
  const present = asRecord(storage)?.files ?? [];
  if (asRecord(storage) === undefined || !Array.isArray(present))
    return unsupported('its storage.files is not a list');
  if (present.some((entry) => files.some(({ path }) => asRecord(entry)?.path === path)))
    return { kind: 'present' };
  const added = files.map(version.startsWith('2.') ? entryOf2 : entryOf3);
  const changed = { ...config, storage: { ...asRecord(storage), files: [...present, ...added] } };
  return { kind: 'inserted', text: JSON.stringify(changed) };
}

/** @returns undefined where it is not JSON, or holds a number that would be written back in another form */
function parse(text: string): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(text, sameNumber));
  } catch {
    return undefined;
  }
}

/** TypeScript's own declaration knows nothing of the third argument, which V8 gives. */
function sameNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number' && String(value) !== context?.source)
    throw new RangeError(`${context?.source} would be written as ${value}`);
  return value;
}

function entryOf2(file: InsertedFile): object {
  return { filesystem: 'root', ...entryOf3(file) };
}

function entryOf3({ path, mode, content }: InsertedFile): object {
  return { path, mode, contents: { source: `data:;base64,${Buffer.from(content).toString('base64')}` } };
}
