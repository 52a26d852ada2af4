/** cloud-init's mergers (`cloudinit/mergers`), over values that know their places. */
import { type MappingEntry, type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { type Strategy, StrategyError } from './strategy.ts';

const RECURSE_LIST = ['recurse_array', 'recurse_list'];

/**
 * `later` merged into `earlier`. What the strategy has no rule for stays as it was.
 *
 * @throws StrategyError where cloud-init itself comes to grief: a list is to be joined with something else.
 */
export function merge(strategy: Strategy, earlier: YamlNode, later: YamlNode): YamlNode {
  if (earlier.kind === 'mapping' && strategy.dict) return mergeMappings(strategy, earlier, later);
  if (earlier.kind === 'sequence' && strategy.list) return mergeLists(strategy, earlier, later);
  if (earlier.kind === 'string' && strategy.str) {
    if (!strategy.str.has('append')) return later;
    if (later.kind !== 'string') throw new StrategyError('would join a string with something else');
    return { ...earlier, value: earlier.value + later.value };
  }
  return earlier;
}

function mergeMappings(strategy: Strategy, earlier: MappingNode, later: YamlNode): YamlNode {
  if (later.kind !== 'mapping') return earlier;
  const options = strategy.dict ?? new Set();
  const entries = new Map(earlier.entries.map((entry) => [nameOf(entry), entry]));
  for (const entry of later.entries) {
    const name = nameOf(entry);
    const present = entries.get(name);
    if (present === undefined) entries.set(name, entry);
    else if (entry.value.kind === 'null' && options.has('allow_delete')) entries.delete(name);
    else if (options.has('replace')) entries.set(name, entry);
    else if (entry.value.kind === 'mapping' || recurses(options, entry.value))
      entries.set(name, { key: entry.key, value: merge(strategy, present.value, entry.value) });
  }
  return { ...earlier, entries: [...entries.values()] };
}

function mergeLists(strategy: Strategy, earlier: YamlNode & { kind: 'sequence' }, later: YamlNode): YamlNode {
  const options = strategy.list ?? new Set();
  const method =
    ['append', 'prepend', 'replace', 'no_replace'].find((name) => options.has(name)) ?? 'replace';
  if (later.kind !== 'sequence') {
    if (method === 'replace') return later;
    throw new StrategyError('would join a list with something else');
  }
  const { items } = earlier;
  if (method === 'append') return { ...earlier, items: [...items, ...later.items] };
  if (method === 'prepend') return { ...earlier, items: [...later.items, ...items] };
  if (method === 'no_replace') return earlier;
  // Item by item: what the earlier list has more stays, what the later one has more is lost.
  const merged = items.map((item, index) => {
    const other = later.items[index];
    if (other === undefined) return item;
    const goesOn = recurses(options, other) || (other.kind === 'mapping' && options.has('recurse_dict'));
    return goesOn ? merge(strategy, item, other) : other;
  });
  return { ...earlier, items: merged };
}

function recurses(options: ReadonlySet<string>, { kind }: YamlNode): boolean {
  if (kind === 'sequence') return RECURSE_LIST.some((name) => options.has(name));
  return kind === 'string' && options.has('recurse_str');
}

const nameOf = ({ key }: MappingEntry): string => `${key.kind} ${pythonText(key) ?? ''}`;
