import type { Filling, NodeMaker, Properties } from '../../../text/yaml/node-maker.ts';
import { YamlSyntaxError, YamlTooLarge } from '../../../text/yaml/scan/syntax-error.ts';
import type { ConfigNode, ConfigPair, Scalar } from './config-node.ts';

/** A node and its size with every alias replaced. */
interface Made {
  node: ConfigNode;
  nodes: number;
  chars: number;
  /** The plain key `<<`. */
  merges?: boolean;
}

/** With every alias replaced. A file has at most 1 MiB, and kubeadm's reader refuses "excessive aliasing", too. */
const MOST_NODES = 200_000;
const MOST_CHARS = 8 * 1024 * 1024;

/**
 * Makes nodes as kubeadm's reader does (go-yaml 2). An alias is the node of its anchor; what a reader would see is counted, so
 * that aliases cannot multiply it.
 */
export class ConfigMaker implements NodeMaker<Made> {
  readonly #anchors = new Map<string, Made | 'open'>();

  /** A document has its own anchors. */
  begin(): void {
    this.#anchors.clear();
  }

  node({ anchor }: Properties, make: () => Made): Made {
    if (anchor === undefined) return make();
    this.#anchors.set(anchor.name, 'open');
    const made = make();
    this.#anchors.set(anchor.name, made);
    return made;
  }

  alias(name: string, at: number): Made {
    const made = this.#anchors.get(name);
    if (made === 'open') throw new YamlSyntaxError('An alias is inside the value it refers to.', at);
    if (made !== undefined) return made;
    throw new YamlSyntaxError('There is no anchor before this alias.', at);
  }

  scalar({ tag }: Properties, text: string, isPlain: boolean, at: number): Made {
    if (tag !== undefined) return scalar(taggedScalar(text, tag), text, at);
    const made = scalar(isPlain ? goScalar(text) : text, text, at);
    return isPlain && text === '<<' ? { ...made, merges: true } : made;
  }

  /** kubeadm says it best itself. */
  half(): void {}

  empty({ tag }: Properties, at: number): Made {
    return scalar(tag === undefined ? null : taggedScalar('', tag), '', at);
  }

  sequence(_: Properties, at: number): Filling<[item: Made], Made> {
    const size = new Size(at);
    const items: ConfigNode[] = [];
    return {
      add: (item) => {
        size.add(item);
        items.push(item.node);
      },
      done: () => ({ node: { kind: 'list', at, items }, nodes: size.nodes, chars: size.chars }),
    };
  }

  mapping(_: Properties, at: number): Filling<[key: Made, value: Made], Made> {
    const size = new Size(at);
    const pairs = new Map<string, ConfigPair>();
    return {
      add: (key, value) => {
        size.add(key);
        size.add(value);
        // In the file's order, for of equal keys the last counts, merged ones as well.
        if (key.merges)
          for (const [name, pair] of mergedPairs(value.node, key.node.at)) pairs.set(name, pair);
        else pairs.set(keyText(key.node), { keyAt: key.node.at, value: value.node });
      },
      done: () => ({ node: { kind: 'map', at, pairs }, nodes: size.nodes, chars: size.chars }),
    };
  }
}

class Size {
  nodes = 1;
  chars = 0;
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  add(part: Made): void {
    this.nodes += part.nodes;
    this.chars += part.chars;
    if (this.nodes > MOST_NODES || this.chars > MOST_CHARS)
      throw new YamlTooLarge('With aliases expanded, it has more values than Slipway accepts.', this.#at);
  }
}

function scalar(value: Scalar, source: string, at: number): Made {
  return { node: { kind: 'scalar', at, value, source }, nodes: 1, chars: source.length };
}

function keyText(key: ConfigNode): string {
  if (key.kind === 'scalar' && key.value !== null) return String(key.value);
  throw new YamlSyntaxError('A key must be a string.', key.at);
}

function mergedPairs(node: ConfigNode, at: number): Iterable<[string, ConfigPair]> {
  if (node.kind === 'map') return node.pairs;
  if (node.kind === 'list')
    return node.items
      .toReversed()
      .flatMap((item) => [...mergedPairs(item.kind === 'map' ? item : none(at), at)]);
  return mergedPairs(none(at), at);
}

function none(at: number): never {
  throw new YamlSyntaxError('A merge key (<<) needs a mapping, or a list of mappings.', at);
}

const WORDS = new Map<string, Scalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
]);
const WHOLE = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** More digits are a float, and only these have bounds. */
const MOST_DIGITS = 400;

/**
 * The value of a scalar that stands without quotes and without a tag, to kubeadm's reader (sigs.k8s.io/yaml on top of go-yaml 2):
 * nearly YAML 1.1, but dates and numbers in base 60 are texts, while `y`, `1e3` and `0o17` are not.
 */
function goScalar(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const digits = text.replaceAll('_', '');
  if (digits.length > MOST_DIGITS) return text;
  const [, sign, whole] = WHOLE.exec(digits) ?? [];
  if (whole !== undefined) {
    const octal = /^0[0-7]+$/.test(whole);
    const size = Number(octal ? `0o${whole.slice(1)}` : whole);
    return sign === '-' ? -size : size;
  }
  const value = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(value) ? value : text;
}

const PREFIX = 'tag:yaml.org,2002:';
const RESOLVED = new Set(['null', 'bool', 'int', 'float', 'timestamp'].map((name) => PREFIX + name));

/** The value of a scalar with a tag. To kubeadm, one with a tag that it does not know is a text. */
function taggedScalar(text: string, tag: string): Scalar {
  if (tag === `${PREFIX}binary`) return Buffer.from(text, 'base64').toString('utf8');
  return RESOLVED.has(tag) ? goScalar(text) : text;
}
