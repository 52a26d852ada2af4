import { isDeepStrictEqual } from 'node:util';
import { dump } from 'js-yaml';
import { Sensitive } from '../../../secrets/sensitive.ts';
import type { Document } from '../../document/document.ts';
import type { Expectations, NodeLabel } from '../../document/node-settings.ts';
import { storageAsWritten } from '../../document/storage-as-written.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import type { Shape } from '../../text/shape/shape.ts';
import { plainText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { plainValue } from '../../text/yaml/plain-value.ts';
import { BYTES, defaultsOf, MODES, SECRET } from './fields.ts';
import { withoutMetadata } from './of-metadata.ts';
import { API_VERSION, DOCUMENT_SHAPE, KIND } from './shapes.ts';

type Plain = Record<string, unknown>;

/** What is no part of the document, but of this reading of it, or comes of another part: the labels of a call. */
const NOT_WRITTEN = new Set([
  'asked',
  'ignored',
  'instance',
  'hostname',
  'keepsName',
  'keys',
  'order',
  'report',
  'saidLogin',
  'saidName',
  'unknownKeys',
  'bareDefaultUser',
  'commands.labels',
  'files.textAt',
]);

/**
 * The one document as YAML, secrets included. Of the name it has what the user data says, and the metadata completes it when
 * it is read again: so it fits every machine that the user data would fit.
 */
export function writeNative(document: Document): string {
  const head: Plain = { apiVersion: API_VERSION, kind: KIND };
  if (document.order === 'stages') head.order = 'ignition';
  const value = {
    ...head,
    ...nameOf(document),
    ...written({ ...withoutMetadata(document), ...storageAsWritten(document) }, '', DOCUMENT_SHAPE),
  };
  return asYaml(inOrder(value, DOCUMENT_SHAPE.keys));
}

function nameOf({ saidName, keepsName }: Document): Plain {
  return {
    ...(saidName === undefined ? {} : { hostname: saidName }),
    ...(keepsName ? { keepHostname: true } : {}),
  };
}

function written(object: object, path: string, shape: Shape | undefined): Plain {
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const inner = path === '' ? key : `${path}.${key}`;
    if (value === undefined || key === 'where' || NOT_WRITTEN.has(inner)) return [];
    return [[key, field(value, inner, shapeOf(shape, key))]];
  });
  const all = Object.fromEntries(entries);
  const defaults = defaultsOf(path, all);
  const kept = entries.filter(
    ([key, value]) => !(key in defaults && isDeepStrictEqual(value, defaults[key])),
  );
  return shape?.kind === 'map' ? inOrder(Object.fromEntries(kept), shape.keys) : Object.fromEntries(kept);
}

function field(value: unknown, path: string, shape: Shape | undefined): unknown {
  const inWords = IN_WORDS[path];
  if (inWords !== undefined) return inWords(value);
  if (BYTES.has(path) && value instanceof Sensitive) return bytes(value.reveal() as Uint8Array);
  if (SECRET.has(path) && value instanceof Sensitive) return value.reveal();
  if (value instanceof Sensitive) return { secret: field(value.reveal(), path, undefined) };
  if (value instanceof Uint8Array) return bytes(value);
  if (MODES.has(path)) return `0${Number(value).toString(8).padStart(3, '0')}`;
  if (Array.isArray(value)) return value.map((item) => field(item, path, itemOf(shape, item)));
  return typeof value === 'object' && value !== null ? written(value, path, shape) : value;
}

/** What its author wrote; the document holds what was read in it. */
const IN_WORDS: Readonly<Record<string, (value: unknown) => unknown>> = {
  'node.labels': (value) =>
    Object.fromEntries((value as NodeLabel[]).map(({ key, template }) => [key, template])),
  'node.expect': (value) => {
    const { unmet, numbers, words, disks, gpuModels } = value as Expectations;
    return {
      ...(unmet === 'fail' ? {} : { unmet }),
      ...Object.fromEntries(numbers.map(({ what, text }) => [what, text])),
      ...Object.fromEntries(
        words.map(({ what, value }) => [what, what === 'secureBoot' ? value === 'true' : value]),
      ),
      ...(gpuModels.length === 0 ? {} : { gpus: gpuModels.map((model) => ({ model })) }),
      ...(disks.length === 0
        ? {}
        : { disks: disks.map(({ size, ...more }) => ({ ...(size ? { size: size.text } : {}), ...more })) }),
    };
  },
};

function shapeOf(shape: Shape | undefined, key: string): Shape | undefined {
  return shape?.kind === 'map' && Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
}

/** The shape of an item; of several, the one that has its keys. */
function itemOf(shape: Shape | undefined, item: unknown): Shape | undefined {
  const items = shape?.kind === 'list' ? shape.items : shape;
  if (items?.kind !== 'either' || typeof item !== 'object' || item === null) return items;
  return items.of.find(
    (one) => one.kind === 'map' && Object.keys(item).every((key) => key in one.keys || key === 'where'),
  );
}

function inOrder(value: Plain, keys: Readonly<Record<string, Shape>>): Plain {
  const names = [...Object.keys(keys), ...Object.keys(value)];
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => (name in value ? [[name, value[name]]] : [])),
  );
}

/** Characters that YAML takes in a text. */
const PRINTABLE = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

function bytes(value: Uint8Array): unknown {
  const buffer = Buffer.from(value);
  const text = buffer.toString('utf8');
  const isText = PRINTABLE.test(text) && Buffer.from(text).equals(buffer);
  return isText ? text : { base64: buffer.toString('base64') };
}

/** YAML that is read as it was meant; where two rules of YAML differ, JSON, which is YAML too. */
function asYaml(value: Plain): string {
  const pretty = dump(value, { lineWidth: -1, noRefs: true });
  if (isReadAs(pretty, value)) return pretty;
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value, undefined, 2).replace(/[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff-\uffff]/g, escaped)}\n`;
}

function isReadAs(text: string, value: Plain): boolean {
  const diagnostics = new Diagnostics();
  const root = parseYaml(plainText(text), diagnostics);
  const asNumbers = (_key: string, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner);
  return (
    root !== undefined &&
    diagnostics.entries.length === 0 &&
    JSON.stringify(plainValue(root), asNumbers) === JSON.stringify(value)
  );
}
