import type { Position } from '../../document/document.ts';

/** YAML values as PyYAML's `safe_load` sees them, each with its place in the user data. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;

export type ScalarNode =
  | { kind: 'null'; where: Position }
  | { kind: 'bool'; value: boolean; where: Position }
  /** `text` is the number as the user wrote it. */
  | { kind: 'int'; value: bigint; text: string; where: Position }
  | { kind: 'float'; value: number; where: Position }
  /** `textAt`: where the first line of a block of text begins, if all its lines follow there. */
  | { kind: 'string'; value: string; where: Position; textAt?: Position }
  | { kind: 'binary'; value: Uint8Array; where: Position }
  /** `value` is the date or datetime as Python's `str()` writes it. */
  | { kind: 'timestamp'; value: string; where: Position };

interface SequenceNode {
  kind: 'sequence';
  items: YamlNode[];
  where: Position;
}

export interface MappingNode {
  kind: 'mapping';
  /** Without duplicates, in the order of each key's first appearance. */
  entries: MappingEntry[];
  where: Position;
}

export interface MappingEntry {
  key: ScalarNode;
  value: YamlNode;
}

/** The kind of a node, in words for people. */
export function describe(node: YamlNode): string {
  const names: Record<YamlNode['kind'], string> = {
    null: 'nothing (null)',
    bool: 'a boolean',
    int: 'a number',
    float: 'a number',
    string: 'a string',
    binary: 'binary data',
    timestamp: 'a date',
    sequence: 'a list',
    mapping: 'a mapping',
  };
  return names[node.kind];
}

/** The scalar as Python's `str()` writes it; undefined for collections and binary data. */
export function pythonText(node: YamlNode): string | undefined {
  switch (node.kind) {
    case 'null':
      return 'None';
    case 'bool':
      return node.value ? 'True' : 'False';
    case 'int':
      return node.value.toString();
    case 'float':
      return pythonFloat(node.value);
    case 'string':
    case 'timestamp':
      return node.value;
    default:
      return undefined;
  }
}

/** What stands under a key, by the key's `pythonText`; undefined where it is not there, or the node is no mapping. */
export function valueAt(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== 'mapping') return undefined;
  return node.entries.find(({ key }) => pythonText(key) === name)?.value;
}

/** Python's `repr` of a float: the shortest digits that read back the same, `1.0`, `1e+16`, `inf`, `nan`. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    const sign = exponent.startsWith('-') ? '-' : '+';
    return `${digits}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`;
  }
  const text = String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}
