import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '../../../kit/json.ts';
import { readYaml } from '../../kube/untrusted/read-yaml.ts';
import { type InsertedFile, type Insertion, unsupported } from './inserted-file.ts';

const HEADER = /^(?:##[ \t]*template:[ \t]*jinja[ \t]*\r?\n)?#cloud-config[ \t]*(?:\r?\n|$)/;
/** The key that holds files, with its list in the lines below it. */
const WRITE_FILES = /^write_files:[ \t]*(?:#.*)?$/;
const ITEM = /^( *)-(?: |$)/;
/** A tag of jinja that can leave out what stands behind it. */
const JINJA_BLOCK = /\{%/;
const JINJA_VALUE = /\{\{.*?\}\}/g;
const DOCUMENT_MARKER = /^(?:---|\.\.\.)(?:\s|$)/m;

/**
 * Adds files to a cloud-config, as text: an own MIME part would replace the user's `write_files`, and a YAML writer would lose
 * comments, jinja and the spelling of values. The content is base64, which neither jinja nor YAML takes for anything else.
 *
 * The result counts only if a YAML reader finds in it what was there before, and these files.
 */
export function insertIntoCloudConfig(text: string, files: readonly InsertedFile[]): Insertion {
  if (!HEADER.test(text)) return unsupported('it does not begin with #cloud-config');
  const before = topLevel(text);
  if (before === undefined) return unsupported('it is not a YAML mapping that can be read');
  const present = before.write_files;
  if (present !== undefined && !Array.isArray(present)) return unsupported('its write_files is not a list');
  if (present?.some((entry) => files.some(({ path }) => asRecord(entry)?.path === path)))
    return { kind: 'present' };
  const changed = present === undefined ? appendList(text, files) : insertIntoList(text, files);
  if (changed === undefined)
    return unsupported('its write_files is written in a form that nothing can be added to safely');
  const after = topLevel(changed);
  const expected = { ...before, write_files: [...files.map(entryOf), ...(present ?? [])] };
  if (!isDeepStrictEqual(after, expected))
    return unsupported('adding files would change what the rest of it means');
  return { kind: 'inserted', text: changed };
}

/** @returns undefined where it is not a mapping, or not YAML, or several documents */
function topLevel(text: string): Record<string, unknown> | undefined {
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return {};
  try {
    // The header is a comment of YAML; jinja's values become plain words.
    const body = text.replace(JINJA_VALUE, 'jinja');
    return asRecord(readYaml(body));
  } catch {
    return undefined;
  }
}

function insertIntoList(text: string, files: readonly InsertedFile[]): string | undefined {
  const lines = text.split('\n');
  // YAML readers that accept a key twice take the last one.
  const at = lines.findLastIndex((line) => WRITE_FILES.test(line.trimEnd()));
  if (at < 0 || lines.slice(0, at).some((line) => JINJA_BLOCK.test(line))) return undefined;
  const next = lines.slice(at + 1).find((line) => !/^\s*(?:#.*)?$/.test(line));
  const indent = next === undefined ? undefined : ITEM.exec(next)?.[1];
  if (indent === undefined) return undefined;
  const end = lines[at]?.endsWith('\r') ? '\r' : '';
  lines.splice(at + 1, 0, ...itemLines(files, indent).map((line) => line + end));
  return lines.join('\n');
}

function appendList(text: string, files: readonly InsertedFile[]): string | undefined {
  if (JINJA_BLOCK.test(text) || DOCUMENT_MARKER.test(text)) return undefined;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text.endsWith('\n') ? '' : end;
  return text + gap + ['write_files:', ...itemLines(files, ''), ''].join(end);
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
