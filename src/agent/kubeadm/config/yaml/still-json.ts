/** Keeps a document JSON that was JSON before it was edited. */
import { isJson } from '../../../text/is-json.ts';
import { type ConfigDocument, readDocuments } from './config-documents.ts';

/**
 * kubeadm takes a document that begins with a brace for JSON and nothing else, where YAML would let keys and texts stand
 * without quotation marks, as edits write them. So what was JSON is written as JSON again; all else stays as it is.
 *
 * @param edited The same documents in the same order; others may follow.
 * @throws KubeadmError `KubeadmConfigInvalid` when a text cannot be read.
 */
export function stillJson(original: string, edited: string): string {
  if (original === edited) return edited;
  const before = readDocuments(original, 'file');
  const after = readDocuments(edited, 'file').slice(0, before.length);
  // From the last to the first, so that the places of the others stay.
  return after.reduceRight((text, document, index) => {
    const [from, to] = span(document);
    const was = before[index];
    if (was === undefined || !isJson(original.slice(...span(was))) || isJson(text.slice(from, to)))
      return text;
    return `${text.slice(0, from)}${JSON.stringify(document.parsed.toJS())}${text.slice(to)}`;
  }, edited);
}

function span({ map }: ConfigDocument): [from: number, to: number] {
  const [from = 0, to = 0] = map.range ?? [];
  return [from, to];
}
