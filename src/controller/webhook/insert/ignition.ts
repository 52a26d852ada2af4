import { posix } from 'node:path';
import { asRecord, at, type JsonRecord } from '../../../kit/json.ts';
import { type InsertedFile, type Insertion, unsupported } from './inserted-file.ts';

const NODES = ['files', 'directories', 'links'] as const;
/** Go takes a key for one of these whatever its case. */
const KNOWN_KEYS: readonly (readonly string[])[] = [
  [],
  ['ignition'],
  ['storage'],
  ...NODES.map((name) => ['storage', name]),
];

/**
 * Adds files to an Ignition config of version 2 or 3. Everything else keeps its value and its order; the spelling (white space,
 * escapes) may change, which no reader of JSON notices. What Go would read in another way than JavaScript is left as it is.
 */
export function insertIntoIgnition(text: string, files: readonly InsertedFile[]): Insertion {
  const config = parse(text);
  const version = at(config, 'ignition', 'version');
  if (config === undefined || typeof version !== 'string')
    return unsupported('it is not an Ignition config with a version');
  if (!/^[23]\./.test(version)) return unsupported(`Ignition ${version} is not known`);
  if (countStrings(config) !== stringsIn(text)) return unsupported('a key stands twice in one object');
  if (KNOWN_KEYS.some((path) => hasOddCase(at(config, ...path))))
    return unsupported('a key is not written in the case that Ignition gives it');
  if (at(config, 'ignition', 'config', 'replace') !== undefined)
    return unsupported('another config replaces it (ignition.config.replace)');
  const storage = asRecord(config.storage ?? {});
  const present = storage?.files ?? [];
  if (storage === undefined || !Array.isArray(present)) return unsupported('its storage.files is not a list');
  const paths = files.map(({ path }) => path);
  if (pathsIn(present).some((path) => paths.includes(path))) return { kind: 'present' };
  // A link or a file cannot be a directory of ours, and nothing else may be in its place.
  const inTheWay = [...pathsIn(storage.links), ...pathsIn(present)].some((path) =>
    paths.some((own) => own === path || own.startsWith(`${path}/`)),
  );
  if (inTheWay || pathsIn(storage.directories).some((path) => paths.includes(path)))
    return unsupported('it puts something else where the files would be');
  const added = files.map(version.startsWith('2.') ? entryOf2 : entryOf3);
  const changed = { ...config, storage: { ...storage, files: [...present, ...added] } };
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

/** Texts of a JSON text, keys too. */
function stringsIn(text: string): number {
  return text.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
}

/** The same of what was read: fewer where a key stood twice. */
function countStrings(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') count += 1;
    else if (Array.isArray(next)) left.push(...next);
    else if (typeof next === 'object' && next !== null) {
      count += Object.keys(next).length;
      left.push(...Object.values(next));
    }
  }
  return count;
}

const EXACT = new Set(['ignition', 'version', 'config', 'replace', 'storage', ...NODES, 'path']);

function hasOddCase(value: unknown): boolean {
  return [value]
    .flat()
    .some((object) =>
      Object.keys(asRecord(object) ?? {}).some((key) => !EXACT.has(key) && EXACT.has(key.toLowerCase())),
    );
}

function pathsIn(nodes: unknown): string[] {
  return [nodes].flat().flatMap((node) => {
    const path = asRecord(node)?.path;
    return typeof path === 'string' ? [posix.normalize(path).replace(/(?<=.)\/$/, '')] : [];
  });
}

function entryOf2(file: InsertedFile): object {
  return { filesystem: 'root', ...contentOf(file) };
}

/** Version 3 refuses a file that the image has, unless it may be overwritten. */
function entryOf3(file: InsertedFile): object {
  return { overwrite: true, ...contentOf(file) };
}

function contentOf({ path, mode, content }: InsertedFile): object {
  return { path, mode, contents: { source: `data:;base64,${Buffer.from(content).toString('base64')}` } };
}
