import { isJson } from '../../../text/own-document.ts';
import { normalizeLineBreaks, readDocuments } from './config-documents.ts';
import { isValues, type Values } from './config-node.ts';
import { writeYaml } from './write-yaml.ts';

/**
 * Changes the values of one of kubeadm's own documents, which is written anew; the others stay as they are. What was JSON is
 * JSON again, for kubeadm takes what begins with a brace for JSON and nothing else.
 *
 * @param change Gives false where nothing is to be changed: then the text stays as it is, as without such a document.
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function editDocument(text: string, kind: string, change: (values: Values) => boolean): string {
  const document = readDocuments(text, 'file').find((found) => found.own && found.kind === kind);
  if (document === undefined) return text;
  const values = structuredClone(document.values);
  if (!change(values)) return text;
  const usual = normalizeLineBreaks(text);
  const before = usual.slice(0, document.from);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const written = isJson(document.source) ? `${JSON.stringify(values)}\n` : writeYaml(values);
  return `${before}${gap}${written}${usual.slice(document.to)}`;
}

/**
 * Gives one of kubeadm's own documents the value at a path, where `wanted` says so of what is there now (undefined: nothing).
 * Sections that are missing on the way are made. The text is unchanged where there is no such document, or where something
 * else than sections and a scalar stands there.
 *
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function setValue(
  text: string,
  kind: string,
  path: readonly string[],
  value: string,
  wanted: (present: string | undefined) => boolean,
): string {
  return editDocument(text, kind, (values) => {
    const last = path.at(-1) ?? '';
    const section = sectionAt(values, path.slice(0, -1));
    const present = section?.[last] ?? undefined;
    if (section === undefined || typeof present === 'object') return false;
    if (!wanted(present === undefined ? undefined : String(present))) return false;
    section[last] = value;
    return true;
  });
}

/** The section at a path, made where there is none; undefined where something else stands in its place. */
export function sectionAt(values: Values, path: readonly string[]): Values | undefined {
  let here = values;
  for (const key of path) {
    here[key] ??= {};
    const inner = here[key];
    if (!isValues(inner)) return undefined;
    here = inner;
  }
  return here;
}

/** The text with one more document. */
export function withDocument(text: string, values: Values): string {
  const gap = text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}---\n${writeYaml(values)}`;
}
