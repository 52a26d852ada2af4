import { posix } from 'node:path';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { FileEntry } from '../../../document/document.ts';
import { isSecretReference } from '../../../stores/reference/reference.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import { Fields, mappings } from '../../../text/yaml/fields.ts';
import { type MappingNode, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { type Budget, fileContent } from './file-content.ts';
import { fileSource } from './file-source.ts';
import { fileMode } from './permissions.ts';

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
    fields.wrong('content', 'a file whose content is a reference to a secret has no other content.');
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
    fields.wrong('path', 'the path holds a NUL, which no name of a file can.');
    return undefined;
  }
  if (path.endsWith('/') || absolute === '/') {
    fields.wrong('path', 'the path must name a file, not a directory.');
    return undefined;
  }
  // The message does not quote it: such a long path is mostly file content, perhaps a key, that lost its
  // indent.
  if (isTooLong(absolute)) {
    fields.wrong('path', 'the path is longer than Linux allows (4095 bytes, 255 each part).');
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
