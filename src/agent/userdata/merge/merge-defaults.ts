import type { MappingNode } from '../../text/yaml/yaml-node.ts';
import { merge } from './merge.ts';
import type { Strategy } from './strategy.ts';

/** cloud-init's own for what it puts together itself (`default_mergers`): mappings are joined, the rest stays. */
const KEEP: Strategy = { dict: new Set(), list: new Set(['no_replace']), str: new Set() };

/** A configuration with another below it, which counts where the upper one says nothing (`mergemanydict`). */
export function mergeDefaults(upper: MappingNode | undefined, lower: MappingNode): MappingNode {
  return upper === undefined ? lower : (merge(KEEP, upper, lower) as MappingNode);
}
