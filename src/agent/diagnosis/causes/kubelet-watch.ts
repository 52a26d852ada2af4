/**
 * Knows before kubeadm does that an attempt is lost: kubeadm waits four minutes for a kubelet that dies at once of an unknown
 * flag, or for an API server that does. At the third end after kubeadm started the kubelet, when the reason is one that
 * does not pass, the attempt is over.
 */
import { codes } from '../../../protocol/codes/codes.ts';
import type { Host } from '../../host/host.ts';
import { followUnits, type UnitFollower } from '../evidence/follow-units.ts';
import { type LogMarks, markLogs, readPodLogs } from '../evidence/static-pods.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import { KUBELET_ENDED, KUBELET_STARTED, refusedForStorage } from './kubelet-signs.ts';

const ENOUGH = 3;
/** systemd's line of the end may come before the kubelet's own last ones. */
const SETTLE_MS = 150;
/** Two directories are listed each time. */
const PODS_EVERY_MS = 1_000;
/** The others end for lack of these two. */
const WATCHED_PODS = ['etcd', 'kube-apiserver'];
/** kubeadm waits for static pods, of `init` and of a control plane that joins. */
const WAITS_FOR_PODS =
  /^\[(?:wait-control-plane|control-plane-check|api-check)\]|^\[etcd\] Waiting for the new etcd member/;

/** The API server did not take the kubelet's token; what comes before the colon differs between releases. */
const CERTIFICATE_REFUSED =
  /Failed while requesting a signed certificate from the (?:control plane|master)\b.*: Unauthorized\b/;

/** What is refused for a while, and not asked again at once when the while is over. */
interface Refusals {
  /** The kubelet refuses this static pod, and does not wait for itself. */
  onPod?(name: string): void;
  /** The API server refuses the kubelet its certificate. */
  onCertificate?(): void;
}

export interface KubeletWatch {
  follower: UnitFollower;
  /** Where the logs of static pods stood when kubeadm started the kubelet. */
  marks(): LogMarks | undefined;
  /** Aborts when the attempt is lost. */
  signal: AbortSignal;
  /** Why it is lost; undefined as long as it is not. */
  verdict(): Diagnosis | undefined;
  /** Tell it every line of kubeadm. */
  onKubeadmLine(line: string): void;
  stop(): void;
}

export function watchKubelet(host: Host, { onPod, onCertificate }: Refusals = {}): KubeletWatch {
  const lost = new AbortController();
  const stopped = new AbortController();
  let verdict: Diagnosis | undefined;
  let marks: LogMarks | undefined;
  let started = false;
  let watchesPods = false;
  let ends = 0;
  const conclude = (found: Diagnosis | undefined): void => {
    if (found === undefined || !staysSo(found)) return;
    verdict ??= found;
    lost.abort();
  };
  const judgeKubelet = async (): Promise<void> => {
    await host.clock.sleep(SETTLE_MS);
    const { byKubelet } = await import('./lost-attempt.ts');
    conclude(byKubelet(follower.kubelet));
  };
  const follower = followUnits(host, (line) => {
    if (!started) return;
    const refused = refusedForStorage(line);
    if (refused !== undefined) onPod?.(refused);
    if (CERTIFICATE_REFUSED.test(line)) onCertificate?.();
    if (!KUBELET_ENDED.test(line)) return;
    ends += 1;
    if (ends >= ENOUGH) void judgeKubelet();
  });
  const watchPods = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const logs = await readPodLogs(host, marks);
      for (const name of WATCHED_PODS) {
        const pod = logs.get(name);
        if (pod === undefined || pod.restarts < ENOUGH - 1) continue;
        const { byPod } = await import('./lost-attempt.ts');
        conclude(byPod(name, pod.log));
      }
      await host.clock.sleep(PODS_EVERY_MS, stopped.signal);
    }
  };
  const begin = async (): Promise<void> => {
    marks = await markLogs(host);
  };
  // A directory that cannot be read, or a sleep that is cut short: then kubeadm's own end is waited for.
  const quietly = (work: Promise<void>): void => void work.catch(() => undefined);
  return {
    follower,
    marks: () => marks,
    signal: lost.signal,
    verdict: () => verdict,
    onKubeadmLine: (line) => {
      if (!started && KUBELET_STARTED.test(line)) {
        started = true;
        ends = 0;
        follower.forgetKubelet();
        quietly(begin());
      } else if (started && !watchesPods && WAITS_FOR_PODS.test(line)) {
        watchesPods = true;
        quietly(watchPods());
      }
    },
    stop: () => {
      stopped.abort();
      follower.stop();
    },
  };
}

const staysSo = ({ code, persistence }: Diagnosis): boolean =>
  (persistence ?? codes()[code].persistence) === 'permanent';
