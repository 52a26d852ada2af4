import { positionText } from '../../../../kit/position.ts';
import type { Code } from '../../../../protocol/codes/codes.ts';

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
