/** What the aliases of a YAML document stand for, and how much they multiply it. */
import { type Alias, type Document, isAlias, isCollection, isPair, isScalar, type Node } from 'yaml';

export interface Aliases {
  /** The node behind each alias; none where nothing before it has that anchor. */
  targets: ReadonlyMap<Alias, Node>;
  /** How many nodes there are more when every alias is replaced; infinite where one contains itself. */
  added: number;
}

/** In one pass: an alias stands for what had its anchor last before it (YAML 1.1, section 3.2.2.2). */
export function aliasesOf(document: Document.Parsed): Aliases {
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, { node: Node; size: number }>();
  let added = 0;
  const sizeOf = (node: unknown): number => {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (isAlias(node)) {
      const anchor = anchors.get(node.source);
      if (anchor === undefined) return 1;
      targets.set(node, anchor.node);
      added += anchor.size;
      return anchor.size;
    }
    if (!isCollection(node) && !isScalar(node)) return 1;
    const held = { node: node as Node, size: Number.POSITIVE_INFINITY };
    if (node.anchor !== undefined) anchors.set(node.anchor, held);
    held.size = isCollection(node) ? node.items.reduce((sum: number, item) => sum + sizeOf(item), 1) : 1;
    return held.size;
  };
  sizeOf(document.contents);
  return { targets, added };
}
