/** What is asked only where something ends again and again, and is read then: in most attempts nothing does. */
import type { Diagnosis } from '../patterns/pattern.ts';
import { readComponentLog } from './component-log.ts';
import { KUBELET_START_RULES } from './kubelet-start.ts';
import { lastKnown } from './rule.ts';

/** Why a kubelet ends, by its own last words. */
export function byKubelet(lines: readonly string[]): Diagnosis | undefined {
  return lastKnown(KUBELET_START_RULES, lines);
}

/** Why a static pod does. */
export const byPod = readComponentLog;
