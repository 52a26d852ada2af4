/**
 * Knows before kubeadm does that the kubelet will not come up: kubeadm waits four minutes for a kubelet that dies at once of
 * an unknown flag. At its third end after kubeadm started it, when the reason is one that does not pass, the attempt is over.
 */
import { CODES } from '../../../protocol/codes.ts';
import type { Host } from '../../host/host.ts';
import { followUnits, type UnitFollower } from '../evidence/follow-units.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import { KUBELET_ENDED, KUBELET_STARTED } from './explain-kubelet.ts';
import { KUBELET_START_RULES } from './kubelet-start.ts';
import { lastKnown } from './rule.ts';

const ENOUGH = 3;
/** systemd's line of the end may come before the kubelet's own last ones. */
const SETTLE_MS = 150;

export interface KubeletWatch {
  follower: UnitFollower;
  /** Aborts when the attempt is lost. */
  signal: AbortSignal;
  /** Why it is lost; undefined as long as it is not. */
  verdict(): Diagnosis | undefined;
  /** Tell it every line of kubeadm. */
  onKubeadmLine(line: string): void;
  stop(): void;
}

export function watchKubelet(host: Host): KubeletWatch {
  const lost = new AbortController();
  let verdict: Diagnosis | undefined;
  let started = false;
  let ends = 0;
  const judge = async (): Promise<void> => {
    await host.clock.sleep(SETTLE_MS);
    const found = lastKnown(KUBELET_START_RULES, follower.kubelet);
    if (found === undefined || (found.persistence ?? CODES[found.code].persistence) !== 'permanent') return;
    verdict ??= found;
    lost.abort();
  };
  const follower = followUnits(host, (line) => {
    if (!started || !KUBELET_ENDED.test(line)) return;
    ends += 1;
    if (ends >= ENOUGH) void judge();
  });
  return {
    follower,
    signal: lost.signal,
    verdict: () => verdict,
    onKubeadmLine: (line) => {
      if (started || !KUBELET_STARTED.test(line)) return;
      started = true;
      ends = 0;
      follower.forgetKubelet();
    },
    stop: () => follower.stop(),
  };
}
