import { posix } from 'node:path';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { FileEntry, RemoteContent } from '../../../document/document.ts';
import { isSecretReference, pathOfFile, readReference } from '../../../stores/reference/reference.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import { Fields, mappings } from '../../../text/yaml/fields.ts';
import { type MappingNode, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { type Budget, fileContent } from './file-content.ts';

/** Nobody but its owner reads a secret, unless the user data says so. */
const SECRET_MODE = 0o600;

/** `write_files`: files with cloud-init's defaults root:root and 0644 (cloud-init's `cc_write_files`). */
export function readWriteFiles(node: YamlNode, diagnostics: Diagnostics): FileEntry[] {
  const budget = { left: MAX_DECODED_BYTES };
  return mappings(node, 'write_files', diagnostics).flatMap((item) => {
    const entry = readFile(item, budget, diagnostics);
    return entry === undefined ? [] : [entry];
  });
}

function readFile(item: MappingNode, budget: Budget, diagnostics: Diagnostics): FileEntry | undefined {
  const fields = new Fields(item, 'write_files', diagnostics);
  const path = filePath(fields);
  const content = fileContent(fields, budget);
  const given = fileMode(fields);
  const owner = fileOwner(fields);
  const append = fields.bool('append', false);
  const defer = fields.bool('defer', false);
  const from = fileSource(fields, diagnostics);
  const isSecret = from !== undefined && isSecretReference(from.url.reveal());
  const mode = isSecret && fields.node('permissions') === undefined ? SECRET_MODE : given;
  if (isSecret && fields.node('content') !== undefined)
    fields.wrong('content', 'a file whose content is a secret reference cannot have other content.');
  fields.finish();
  if (path === undefined || content === undefined) return undefined;
  return {
    path,
    content: sensitive(content),
    ...(from === undefined ? {} : { from }),
    mode,
    owner,
    append,
    defer,
    where: item.where,
    ...textAt(fields, content),
  };
}

/** Of content that is encoded, nobody looks for lines. */
function textAt(fields: Fields, content: Uint8Array): Pick<FileEntry, 'textAt'> {
  const node = fields.node('content');
  if (node?.kind !== 'string' || node.textAt === undefined) return {};
  return Buffer.from(node.value).equals(content) ? { textAt: node.textAt } : {};
}

function filePath(fields: Fields): string | undefined {
  const path = fields.text('path');
  if (path === undefined || path === '') {
    if (fields.node('path') === undefined || path === '') fields.wrong('path', 'an item has no path.');
    return undefined;
  }
  const absolute = posix.resolve('/', path);
  if (path.includes('\0')) {
    fields.wrong('path', 'the path contains a NUL character, which file names cannot contain.');
    return undefined;
  }
  if (path.endsWith('/') || absolute === '/') {
    fields.wrong('path', 'the path must name a file, not a directory.');
    return undefined;
  }
  // The message does not quote it: such a long path is mostly file content, perhaps a key, that lost its
  // indent.
  if (isTooLong(absolute)) {
    fields.wrong('path', 'the path is longer than Linux allows (4095 bytes, 255 per component).');
    return undefined;
  }
  return absolute;
}

/** PATH_MAX and NAME_MAX of linux/limits.h. */
function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > 4095 || path.split('/').some((part) => Buffer.byteLength(part) > 255);
}

/**
 * The owner as `user:group`. Values that mean "leave it" to cloud-init (missing, empty, -1, none) mean root,
 * who creates the file. A user without a group gets root's, not its own.
 */
function fileOwner(fields: Fields): string {
  const node = fields.node('owner');
  // Nothing but a false value to cloud-init, and root all the same; its schema has a word to say on numbers.
  if (node !== undefined && node.kind !== 'string' && pythonText(node) === '0') return 'root:root';
  const text = fields.text('owner') ?? 'root:root';
  const colon = text.indexOf(':');
  const user = named(colon === -1 ? text : text.slice(0, colon)) ?? 'root';
  const group = colon === -1 ? 'root' : (named(text.slice(colon + 1)) ?? 'root');
  if (/[\s:]/.test(user + group)) fields.wrong('owner', 'the owner must be user or user:group.');
  return `${user}:${group}`;
}

function named(text: string): string | undefined {
  const name = text.trim();
  return name === '' || name === '-1' || name.toLowerCase() === 'none' ? undefined : name;
}

const HASH = /^sha(?:256-[0-9a-f]{64}|512-[0-9a-f]{128})$/;

/**
 * `source: {uri, headers, hash}` of a file: `file:`, `http:` or `https:`, or a reference to a secret. What lies there is taken
 * as it is. `hash` is Slipway's own.
 */
function fileSource(fields: Fields, diagnostics: Diagnostics): RemoteContent | undefined {
  const node = fields.node('source');
  if (node === undefined) return undefined;
  if (node.kind !== 'mapping') {
    fields.expected('source', node, 'a mapping');
    return undefined;
  }
  const source = new Fields(node, 'write_files.source', diagnostics);
  const uri = source.text('uri');
  const given = source.node('headers');
  const headers = given?.kind === 'mapping' ? given.entries : [];
  if (given !== undefined && given.kind !== 'mapping') source.expected('headers', given, 'a mapping');
  const named = headers.map(({ key, value }) => ({
    name: pythonText(key) ?? '',
    value: sensitive(pythonText(value) ?? ''),
  }));
  if (named.some(({ name, value }) => !/^[\w-]+$/.test(name) || /[\r\n]/.test(value.reveal())))
    source.wrong('headers', 'headers must be a mapping of names to single-line values.');
  const hash = source.text('hash');
  if (hash !== undefined && !HASH.test(hash))
    source.wrong('hash', 'hash must be sha256-SUM or sha512-SUM, in lowercase.');
  source.finish();
  if (uri === undefined || uri === '') return undefined;
  const more = { isCompressed: false, ...(hash === undefined ? {} : { hash }) };
  if (isSecretReference(uri)) {
    const reference = readReference(uri);
    if ('problem' in reference) source.wrong('uri', `the reference ${reference.problem}.`);
    if (named.length > 0) source.wrong('headers', 'a secret reference cannot have headers.');
    return { url: sensitive(uri), headers: [], ...more };
  }
  const scheme = URL.canParse(uri) ? new URL(uri).protocol : '';
  const isFine = scheme === 'file:' ? pathOfFile(uri) !== undefined : /^https?:$/.test(scheme);
  if (isFine) return { url: sensitive(uri), headers: named, ...more };
  source.wrong('uri', 'uri must be a file://, http:// or https:// URL, or a secret reference.');
  return undefined;
}

/** The mode that cloud-init's write_files uses by default (`DEFAULT_PERMS`). */
const DEFAULT_MODE = 0o644;

/**
 * Mode bits from `permissions`. A string is octal (`'0640'`, `'0o640'`); a number counts as it is, because
 * YAML 1.1 has already read an unquoted 0640 as octal (cloud-init's `decode_perms`). A value that makes no
 * sense is an error; cloud-init would use 0644, but a slip must not make a private key readable.
 */
function fileMode(fields: Fields): number {
  const node = fields.node('permissions');
  if (node === undefined) return DEFAULT_MODE;
  const value = node.kind === 'int' || node.kind === 'float' ? Math.trunc(Number(node.value)) : undefined;
  const mode = node.kind === 'string' ? octal(node.value) : value;
  if (mode === undefined || !(mode >= 0 && mode <= 0o7777)) {
    fields.wrong('permissions', "permissions must be an octal mode in quotes, such as '0640'.");
    return DEFAULT_MODE;
  }
  if (node.kind === 'int' && /^[1-7][0-7]{2}$/.test(node.text)) {
    const octalMode = mode.toString(8).padStart(4, '0');
    fields.warn(
      'permissions',
      `without quotes and a leading zero this is the decimal number ${node.text}, mode ${octalMode}; write '0${node.text}'.`,
    );
  }
  return mode;
}

/** Python's `int(text, 8)`. */
function octal(text: string): number | undefined {
  const match = /^\s*\+?(?:0[oO]_?)?([0-7]+(?:_[0-7]+)*)\s*$/.exec(text);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1].replaceAll('_', ''), 8);
}
