import type { Document } from '../../document/document.ts';
import type { Native } from './read-native.ts';

/** A document with what another adds: lists go on, everything else takes the place of what was said before. */
export function joinDocument(document: Document, { content, name }: Native): Document {
  const { order: _order, node, ...added } = content;
  const earlierOnes = new Map(Object.entries(document));
  const entries = Object.entries(added).map(([key, value]): [string, unknown] => {
    const earlier = earlierOnes.get(key);
    return [key, Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value];
  });
  const { saidName, keepsName, ...all } = { ...document, ...Object.fromEntries(entries) } as Document;
  const before = { ...(saidName ? { saidName } : {}), ...(keepsName ? { keepsName } : {}) };
  return {
    ...all,
    ...(node === undefined ? {} : { node: { ...document.node, ...node } }),
    ...(name ?? before),
  };
}
