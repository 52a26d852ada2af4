import { ExpectedError } from '../../../kit/errors.ts';
import { MAX_YAML_DEPTH, MAX_YAML_EXPANDED_CHARS, MAX_YAML_EXPANDED_NODES } from '../../text/limits.ts';
import { pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';

/** What is joined has become more than is accepted; the message says what of. */
export class MergeTooLarge extends ExpectedError {
  override readonly name = 'MergeTooLarge';
}

interface Extent {
  nodes: number;
  chars: number;
  depth: number;
}

/** Measures values that share parts, each part once: a few copies of copies hold more values than any memory. */
export class SizeMeter {
  readonly #known = new WeakMap<YamlNode, Extent>();

  /** @throws MergeTooLarge where it holds more than the YAML of one part may */
  bound(node: YamlNode): void {
    const { nodes, chars, depth } = this.#of(node);
    if (nodes > MAX_YAML_EXPANDED_NODES) throw new MergeTooLarge(`${MAX_YAML_EXPANDED_NODES} values`);
    if (chars > MAX_YAML_EXPANDED_CHARS) throw new MergeTooLarge(`${MAX_YAML_EXPANDED_CHARS} characters`);
    if (depth > MAX_YAML_DEPTH) throw new MergeTooLarge(`${MAX_YAML_DEPTH} levels`);
  }

  #of(node: YamlNode): Extent {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const extent: Extent = { nodes: 1, chars: 0, depth: 0 };
    const inner =
      node.kind === 'sequence'
        ? node.items
        : node.kind === 'mapping'
          ? node.entries.flatMap(({ key, value }) => [key, value])
          : undefined;
    if (inner === undefined) extent.chars = lengthOf(node);
    for (const each of inner ?? []) {
      const { nodes, chars, depth } = this.#of(each);
      extent.nodes += nodes;
      extent.chars += chars;
      extent.depth = Math.max(extent.depth, depth + 1);
    }
    this.#known.set(node, extent);
    return extent;
  }
}

const lengthOf = (node: YamlNode): number =>
  node.kind === 'binary' ? node.value.length : (pythonText(node)?.length ?? 0);
