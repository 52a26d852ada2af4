import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '../../../kit/json.ts';
import { readYaml } from '../../kube/untrusted/read-yaml.ts';
import { type InsertedFile, type Insertion, unsupported } from './inserted-file.ts';

const HEADER = /^(##[ \t]*template:[ \t]*jinja[ \t]*\r?\n)?#cloud-config[ \t]*(?:\r?\n|$)/;
/** The key that holds files, with its list in the lines below it. */
const WRITE_FILES = /^write_files:[ \t]*(?:#.*)?$/;
const ITEM = /^( *)-(?: |$)/;
/** What of jinja can leave out, or join, what stands around it. */
const JINJA_STRUCTURE = /\{%|\{#|#\}|-\}\}|\{\{-/;
/** Characters that some readers of YAML take for the end of a line, and others do not. */
const ODD_BREAKS = /[\u0085\u2028\u2029]|\r(?!\n)/;
const JINJA_VALUE = /\{\{[^{}\n]*\}\}/g;
const DOCUMENT_MARKER = /^(?:---|\.\.\.|%)/m;
/** Reading and comparing it holds the process. */
const MAX_BYTES = 512 * 1024;
/** Each may repeat what others repeat; Cluster API writes none. */
const MAX_ALIASES = 8;

/**
 * Adds files to a cloud-config, as text: an own MIME part would replace the user's `write_files`, and a YAML writer would lose
 * comments, jinja and the spelling of values. The content is base64, which neither jinja nor YAML takes for anything else.
 *
 * The result counts only if a YAML reader finds in it what was there before, and these files. Whatever PyYAML may read in another
 * way is left as it is.
 */
export function insertIntoCloudConfig(text: string, files: readonly InsertedFile[]): Insertion {
  const header = HEADER.exec(text);
  if (header === null) return unsupported('it does not begin with #cloud-config');
  if (text.length > MAX_BYTES) return unsupported(`it is larger than ${MAX_BYTES / 1024} KiB`);
  if (ODD_BREAKS.test(text)) return unsupported('it holds characters that end a line for some readers only');
  const isJinja = header[1] !== undefined;
  const before = topLevel(text, isJinja);
  if (before === undefined) return unsupported('it is not a YAML mapping that can be read');
  const present = before.write_files;
  if (present !== undefined && !Array.isArray(present)) return unsupported('its write_files is not a list');
  if (present?.some((entry) => files.some(({ path }) => asRecord(entry)?.path === path)))
    return { kind: 'present' };
  if ('<<' in before) return unsupported('it merges another mapping into its keys');
  const changed =
    present === undefined
      ? insertList(text, header[0], files, isJinja)
      : insertIntoList(text, files, isJinja);
  if (changed === undefined)
    return unsupported('its write_files is written in a form that nothing can be added to safely');
  const after = topLevel(changed, isJinja);
  const expected = { ...before, write_files: [...files.map(entryOf), ...(present ?? [])] };
  if (!isDeepStrictEqual(after, expected))
    return unsupported('adding files would change what the rest of it means');
  return { kind: 'inserted', text: changed };
}

/** @returns undefined where it is not a mapping, or not YAML, or several documents */
function topLevel(text: string, isJinja: boolean): Record<string, unknown> | undefined {
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return {};
  try {
    // The header is a comment of YAML; jinja's values become plain words.
    return asRecord(readYaml(isJinja ? text.replace(JINJA_VALUE, 'jinja') : text, MAX_ALIASES));
  } catch {
    return undefined;
  }
}

function insertIntoList(text: string, files: readonly InsertedFile[], isJinja: boolean): string | undefined {
  const lines = text.split('\n');
  // YAML readers that accept a key twice take the last one.
  const at = lines.findLastIndex((line) => WRITE_FILES.test(line.trimEnd()));
  const first = lines.findIndex((line, index) => index > at && !/^\s*(?:#.*)?$/.test(line));
  const indent = ITEM.exec(lines[first] ?? '')?.[1];
  if (at < 0 || indent === undefined) return undefined;
  if (isJinja && lines.slice(0, first + 1).some((line) => JINJA_STRUCTURE.test(line))) return undefined;
  const end = lines[at]?.endsWith('\r') ? '\r' : '';
  lines.splice(at + 1, 0, ...itemLines(files, indent).map((line) => line + end));
  return lines.join('\n');
}

/** Before all other keys, so that neither a last line without its end nor a second `write_files` matters. */
function insertList(
  text: string,
  header: string,
  files: readonly InsertedFile[],
  isJinja: boolean,
): string | undefined {
  if (DOCUMENT_MARKER.test(text) || (isJinja && JINJA_STRUCTURE.test(text))) return undefined;
  const end = header.includes('\r\n') ? '\r\n' : '\n';
  const gap = header.endsWith('\n') ? '' : end;
  const list = ['write_files:', ...itemLines(files, ''), ''].join(end);
  return header + gap + list + text.slice(header.length);
}

function itemLines(files: readonly InsertedFile[], indent: string): string[] {
  return files.flatMap((file) =>
    Object.entries(entryOf(file)).map(
      ([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${quoted(value)}`,
    ),
  );
}

/** All are quoted, so that every reader takes them for text: `0600` alone is a number. */
function quoted(value: string): string {
  return `'${value}'`;
}

function entryOf({ path, mode, content }: InsertedFile): Record<string, string> {
  return {
    path,
    owner: 'root:root',
    permissions: `0${mode.toString(8)}`,
    encoding: 'base64',
    content: Buffer.from(content).toString('base64'),
  };
}
