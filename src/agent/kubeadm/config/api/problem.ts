import { positionText } from '../../../../kit/position.ts';
import type { Code } from '../../../../protocol/codes/codes.ts';
import type { ConfigDocument } from '../yaml/config-documents.ts';
import type { ConfigNode } from '../yaml/config-node.ts';

/** Something about a kubeadm configuration that a person should know, with its place in the file. */
export interface ConfigProblem {
  /** `error`: kubeadm is sure to refuse it, or the machine cannot work with it. */
  severity: 'error' | 'warning';
  code: Code;
  /** One sentence without a full stop; names the field, never a secret value. */
  message: string;
  line: number;
  column: number;
}

/** `MESSAGE (FILE line L, column C)`. */
export function placedMessage(problem: ConfigProblem, name: string): string {
  return `${problem.message} (${name} ${positionText(problem)})`;
}

export function isNullNode(node: ConfigNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Place of the deepest part of `path` that is there. */
export function positionOfPath(
  document: ConfigDocument,
  path: readonly (string | number)[],
): { line: number; column: number } {
  let node: ConfigNode = document.map;
  let { at } = node;
  for (const step of path) {
    if (node.kind === 'map' && typeof step === 'string') {
      const pair = node.pairs.get(step);
      if (pair === undefined) break;
      at = pair.keyAt;
      node = pair.value;
    } else if (node.kind === 'list' && typeof step === 'number') {
      const item: ConfigNode | undefined = node.items[step];
      if (item === undefined) break;
      at = item.at;
      node = item;
    } else break;
  }
  return document.place(at);
}
