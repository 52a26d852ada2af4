/** YAML values as kubeadm's reader sees them, each with its place in the file. */
export type ConfigNode = MapNode | ListNode | ScalarNode;

export interface MapNode {
  kind: 'map';
  at: number;
  /** By the key's text. What merge keys (`<<`) bring in is among them. */
  pairs: ReadonlyMap<string, ConfigPair>;
}

export interface ConfigPair {
  keyAt: number;
  value: ConfigNode;
}

interface ListNode {
  kind: 'list';
  at: number;
  items: readonly ConfigNode[];
}

interface ScalarNode {
  kind: 'scalar';
  at: number;
  value: Scalar;
  /** As the file has it, without quotes. */
  source: string;
}

export type Scalar = string | number | boolean | null;

export type Values = Record<string, unknown>;

export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A node without places. Nobody else has any part of it, even where aliases stand for one node. */
function plain(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'map':
      return valuesOf(node);
    case 'list':
      return node.items.map(plain);
    case 'scalar':
      return node.value;
  }
}

export function valuesOf({ pairs }: MapNode): Values {
  return Object.fromEntries([...pairs].map(([key, { value }]) => [key, plain(value)]));
}

/** What stands at a path; undefined where there is nothing. */
export function valueAt(values: unknown, ...path: string[]): unknown {
  let here = values;
  for (const key of path) here = isValues(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  return here;
}
