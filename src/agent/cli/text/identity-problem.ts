import { visible } from '../../../kit/terminal/visible.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { TpmProblem } from '../../identity/tpm/tpm-problem.ts';

/** Why the machine cannot prove itself, and what to do. */
export function explainProblem({ code, message }: TpmProblem): { text: string; json: string } {
  const { cause, remedy } = codes()[code];
  const text = `slipway: ${visible(message)} (${code})\n${cause}\n${remedy}\n`;
  return { text, json: `${JSON.stringify({ code, cause: message, remedy }, null, 2)}\n` };
}
