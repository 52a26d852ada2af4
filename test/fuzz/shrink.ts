import type { Target } from './target.ts';
import { type Fault, tryInput } from './try-input.ts';

const BUDGET_MS = 15_000;

/** A shorter input with the same fault: pieces are taken out, large ones first, as long as the fault stays. */
export async function shrink(target: Target, bytes: Buffer, fault: Fault): Promise<Buffer> {
  const until = performance.now() + BUDGET_MS;
  let best = bytes;
  for (let piece = Math.ceil(best.length / 2); piece >= 1; piece = piece === 1 ? 0 : Math.ceil(piece / 2)) {
    for (let at = 0; at < best.length && performance.now() < until; ) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + piece)]);
      const found = await tryInput(target, shorter, fault.key === 'unsteady');
      if (found?.key === fault.key) best = shorter;
      else at += piece;
    }
  }
  return best;
}
