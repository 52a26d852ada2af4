import type { Position } from '../../document/document.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { applyPatch, PatchError, type PatchOperation } from './json-patch.ts';
import { add, DEFAULT_STRATEGY, merge, parseStrategy, type Strategy, StrategyError } from './merge.ts';
import { MergeTooLarge, SizeMeter } from './size-meter.ts';

/** A cloud-config part, or operations on those before it (`#cloud-config-jsonp`). */
export type ConfigPart =
  | {
      root: MappingNode;
      /** The part's header `Merge-Type`. */
      mergeType?: { text: string; where: Position };
      report: Diagnostics;
    }
  | { patch: readonly PatchOperation[]; report: Diagnostics };

const BOTH = 'Merge-Type: list(append)+dict(no_replace,recurse_list)+str()';

/**
 * Several cloud-config parts as one, by cloud-init's rules: each part says how it is merged into those before
 * it, in its header or behind `merge_how`; one that says nothing takes the place of their top-level keys,
 * which becomes a warning.
 */
export function mergeParts(parts: readonly ConfigPart[]): MappingNode {
  let merged: MappingNode = { kind: 'mapping', entries: [], where: { line: 1, column: 1 } };
  const extents = new SizeMeter();
  for (const part of parts) {
    if ('patch' in part) {
      merged = patched(merged, part, extents);
      continue;
    }
    const { root, mergeType, report: diagnostics } = part;
    const how = given(root, 'merge_how') ?? given(root, 'merge_type');
    const where = how?.where ?? mergeType?.where;
    const rest = { ...root, entries: root.entries.filter(({ value }) => value !== how) };
    try {
      const strategy: Strategy = {
        ...(mergeType && parseStrategy(mergeType.text)),
        ...(how && fromNode(how)),
      };
      const isUsual = Object.keys(strategy).length === 0;
      if (isUsual) warnOfReplaced(merged, rest, diagnostics);
      else if (strategy.dict === undefined)
        throw new StrategyError('has no rule for dict, so the part would be ignored');
      const all = merge(isUsual ? DEFAULT_STRATEGY : strategy, merged, rest) as MappingNode;
      extents.bound(all);
      merged = all;
    } catch (error) {
      if (error instanceof MergeTooLarge) refuse(diagnostics, error, where ?? root.where);
      else if (!(error instanceof StrategyError)) throw error;
      else diagnostics.error('UserDataInvalid', `The merge type ${error.message}.`, where);
    }
  }
  return merged;
}

function patched(
  merged: MappingNode,
  { patch, report: diagnostics }: Extract<ConfigPart, { patch: unknown }>,
  extents: SizeMeter,
): MappingNode {
  try {
    return applyPatch(merged, patch, extents);
  } catch (error) {
    if (error instanceof MergeTooLarge) {
      refuse(diagnostics, error, patch[0]?.where);
      return merged;
    }
    if (!(error instanceof PatchError)) throw error;
    diagnostics.error('UserDataInvalid', `The cloud-config-jsonp ${error.message}.`, patch[0]?.where);
    return merged;
  }
}

function refuse(diagnostics: Diagnostics, { message }: MergeTooLarge, where: Position | undefined): void {
  diagnostics.error(
    'UserDataTooLarge',
    `This part and the parts before it contain more than ${message}.`,
    where,
  );
}

/** `merge_how` as text, or as a list of `{name, settings}` or of lists that begin with the name. */
function fromNode(node: YamlNode): Strategy {
  const text = pythonText(node);
  if (node.kind === 'string') return parseStrategy(text ?? '');
  if (node.kind !== 'sequence') throw new StrategyError('is neither a string nor a list');
  const strategy: Strategy = {};
  for (const item of node.items) {
    const [name, ...options] = item.kind === 'mapping' ? ofMapping(item) : textsOf(item);
    if (name === undefined) throw new StrategyError('has an item without a name');
    add(strategy, name, options);
  }
  return strategy;
}

function ofMapping(item: MappingNode): string[] {
  const [name, settings] = [under(item, 'name'), under(item, 'settings')];
  return name === undefined ? [] : [pythonText(name) ?? '', ...(settings ? textsOf(settings) : [])];
}

const textsOf = (node: YamlNode): string[] =>
  node.kind === 'sequence' ? node.items.map((item) => pythonText(item) ?? '') : [];

function under({ entries }: MappingNode, name: string): YamlNode | undefined {
  return entries.find(({ key }) => key.kind === 'string' && key.value === name)?.value;
}

function given(root: MappingNode, name: string): YamlNode | undefined {
  const node = under(root, name);
  return node?.kind === 'null' ? undefined : node;
}

function warnOfReplaced(earlier: MappingNode, later: MappingNode, diagnostics: Diagnostics): void {
  for (const { key } of later.entries) {
    const name = pythonText(key) ?? '';
    if (given(earlier, name) === undefined) continue;
    const message = `${printable(name)} overrides that of an earlier part; the header "${BOTH}" keeps both.`;
    diagnostics.warn('UserDataIgnoredKey', message, key.where);
  }
}
