/** cloud-init's mergers (`cloudinit/mergers`), over values that know their places. */

import { ExpectedError } from '../../../kit/errors.ts';
import { type MappingEntry, type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';

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
    if (later.kind !== 'string') throw new StrategyError('would join a string with another type');
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
    throw new StrategyError('would join a list with another type');
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

const KINDS = ['dict', 'list', 'str'] as const;
type MergedKind = (typeof KINDS)[number];

/**
 * How a part is merged into the parts before it, as `Merge-Type` and `merge_how` say it: `list(append)+dict(no_replace)`. Options
 * by kind; a kind that is not named is not merged.
 */
export type Strategy = Partial<Record<MergedKind, ReadonlySet<string>>>;

/**
 * What cloud-init does where a part says nothing: a later part's top-level key takes the place of an earlier
 * one's.
 */
export const DEFAULT_STRATEGY: Strategy = { dict: new Set(['replace']), list: new Set(), str: new Set() };

/** A way of merging that cannot be gone; the message says what it does. */
export class StrategyError extends ExpectedError {
  override readonly name = 'StrategyError';
}

/** @throws StrategyError naming what cannot be read. */
export function parseStrategy(text: string): Strategy {
  const strategy: Strategy = {};
  for (const word of text.split('+')) {
    const plain = word.trim().toLowerCase();
    if (plain === '') continue;
    const match = /^([a-z_-][a-z0-9_-]*)\((.*?)\)$/.exec(plain);
    if (match === null) throw new StrategyError('is not of the form list(append)+dict(recurse_list)+str()');
    add(strategy, match[1] ?? '', (match[2] ?? '').split(','));
  }
  return strategy;
}

/**
 * The first mention of a kind counts, as in cloud-init. @throws StrategyError for a kind that there is not.
 */
export function add(strategy: Strategy, name: string, options: readonly string[]): void {
  const kind = KINDS.find(
    (known) =>
      known ===
      name
        .trim()
        .toLowerCase()
        .replace(/^m[_-]/, ''),
  );
  if (kind === undefined) throw new StrategyError('names a type other than list, dict and str');
  strategy[kind] ??= new Set(options.map((option) => option.trim().toLowerCase()).filter(Boolean));
}

/** cloud-init's own for what it puts together itself (`default_mergers`): mappings are joined, the rest stays. */
const KEEP: Strategy = { dict: new Set(), list: new Set(['no_replace']), str: new Set() };

/** A configuration with another below it, which counts where the upper one says nothing (`mergemanydict`). */
export function mergeDefaults(upper: MappingNode | undefined, lower: MappingNode): MappingNode {
  return upper === undefined ? lower : (merge(KEEP, upper, lower) as MappingNode);
}
