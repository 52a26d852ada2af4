/** Looking at a parsed YAML document: which part of it a path leads to, and where that is. */
import type { ConfigDocument } from '../yaml/config-documents.ts';
import type { ConfigNode } from '../yaml/config-node.ts';

export function isNullNode(node: ConfigNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Place of the deepest part of `path` that is there. */
export function positionOfPath(
  document: ConfigDocument,
  path: readonly (string | number)[],
): { line: number; column: number } {
  let node: ConfigNode = document.map;
  let { at } = node;
  for (const step of path) {
    if (node.kind === 'map' && typeof step === 'string') {
      const pair = node.pairs.get(step);
      if (pair === undefined) break;
      at = pair.keyAt;
      node = pair.value;
    } else if (node.kind === 'list' && typeof step === 'number') {
      const item: ConfigNode | undefined = node.items[step];
      if (item === undefined) break;
      at = item.at;
      node = item;
    } else break;
  }
  return document.place(at);
}
