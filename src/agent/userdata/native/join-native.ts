import type { Document } from '../../document/document.ts';
import type { Native } from './read-native.ts';

/** A document with what another adds: lists go on, everything else takes the place of what was said before. */
export function joined(document: Document, { content, hostname }: Native): Document {
  const { order: _order, node, ...added } = content;
  const before = new Map(Object.entries(document));
  const entries = Object.entries(added).map(([key, value]): [string, unknown] => {
    const earlier = before.get(key);
    return [key, Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value];
  });
  const { hostname: name, ...all } = { ...document, ...Object.fromEntries(entries) } as Document;
  const decided = hostname ?? name;
  return {
    ...all,
    ...(node === undefined ? {} : { node: { ...document.node, ...node } }),
    ...(decided === undefined || decided === 'kept' ? {} : { hostname: decided }),
  };
}
