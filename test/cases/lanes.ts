import { watchProcessors } from './busy.ts';

/** Below this share of their time, the processors have some left for one more. */
const IDLE = 0.8;
const EVERY_MS = 10_000;

/** How many are done at a time. */
export interface Lanes {
  /** Always. */
  usual: number;
  /** Where those wait so much that the processors have time left. */
  most: number;
}

/** Calls back again and again with how busy the processors were since the last call, 0 to 1. @returns ends that */
export type Watch = (look: (busy: number) => void) => () => void;

/** Does `work` for each name, in this order, some at a time. */
export async function inLanes(
  names: readonly string[],
  { usual, most }: Lanes,
  work: (name: string) => Promise<void>,
  watch: Watch = watchBusy,
): Promise<void> {
  const rest = [...names];
  const running = new Set<Promise<void>>();
  const begin = (lanes: number): void => {
    while (running.size < lanes && rest.length > 0) {
      const one = work(rest.shift() ?? '').finally(() => running.delete(one));
      running.add(one);
    }
  };
  const unwatch = watch((busy) => {
    if (busy < IDLE) begin(Math.min(most, running.size + 1));
  });
  try {
    for (begin(usual); running.size > 0; begin(usual)) await Promise.race(running);
  } finally {
    unwatch();
  }
}

function watchBusy(look: (busy: number) => void): () => void {
  let busy = watchProcessors();
  const timer = setInterval(() => {
    look(busy());
    busy = watchProcessors();
  }, EVERY_MS);
  return () => clearInterval(timer);
}
