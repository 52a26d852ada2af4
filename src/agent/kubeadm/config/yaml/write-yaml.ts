import { dump } from 'js-yaml';
import type { Values } from './config-node.ts';

/**
 * A document as YAML. Every text is in quotes, and every key that any reader takes for something else, so that kubeadm reads
 * the same values.
 */
export function writeYaml(values: Values): string {
  return dump(values, { forceQuotes: true, quoteStyle: 'double', lineWidth: -1, noRefs: true });
}
