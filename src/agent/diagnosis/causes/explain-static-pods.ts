/**
 * Explains by the static pods of the control plane: those that the kubelet does not start, then etcd, since the API server ends
 * when etcd does.
 */
import type { Evidence, StaticPod } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import { readComponentLog } from './component-log.ts';
import { ORDER, REFUSED } from './kubelet-signs.ts';
import { lastKnown, plain, type Rule, reason, rule } from './rule.ts';

export function explainStaticPods({ staticPods, kubeletLog }: Evidence): Diagnosis | undefined {
  // One that has containers was admitted after all.
  const refused = lastKnown([refusal((name) => !staticPods.some((pod) => pod.name === name))], kubeletLog);
  if (refused !== undefined) return refused;
  const ended = ORDER.flatMap((name) => staticPods.filter((pod) => pod.name === name && hasEnded(pod)));
  for (const pod of ended) {
    // Without an API server the other two cannot but end.
    if (pod.name !== 'etcd' && pod.name !== 'kube-apiserver' && isUp(staticPods, 'kube-apiserver') === false)
      continue;
    const found = readComponentLog(pod.name, pod.log) ?? byExit(pod);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** It has come up as far as that. */
const SERVES = /Serving securely on/;

/** An API server that still runs, and has done nothing but look for etcd. */
export function explainWaitForEtcd({ staticPods }: Evidence): Diagnosis | undefined {
  const log = staticPods.find((pod) => pod.name === 'kube-apiserver' && !hasEnded(pod))?.log ?? [];
  const found = readComponentLog(
    'kube-apiserver',
    log.slice(log.findLastIndex((line) => SERVES.test(line)) + 1),
  );
  return found?.code === 'EtcdUnhealthy' ? found : undefined;
}

const CRASH_LOOP = new RegExp(`StartContainer" for "(${ORDER.join('|')})" with CrashLoopBackOff`);

/** By the kubelet's word alone, where the log of what ends is not to be had: the first of them, which the others need. */
export function explainCrashLoop({ kubeletLog }: Evidence): Diagnosis | undefined {
  const lines = kubeletLog.map(plain);
  for (const name of ORDER) {
    const line = lines.findLast((text) => CRASH_LOOP.exec(text)?.[1] === name);
    if (line === undefined) continue;
    return {
      code: name === 'etcd' ? 'EtcdCrashing' : 'ControlPlaneCrashing',
      cause: `${name} keeps exiting and is restarted (CrashLoopBackOff); its own log has the reason.`,
      evidence: line.slice(0, 400),
      persistence: 'until-deadline',
    };
  }
  return undefined;
}

const refusal = (isMissing: (name: string) => boolean): Rule =>
  rule(REFUSED, ([, name = '', why]) =>
    isMissing(name)
      ? {
          code: 'ControlPlaneNotReady',
          cause: `The kubelet refuses the static pod ${name}: ${reason(why)}.`,
          remedy:
            'Restart the kubelet (systemctl restart kubelet): it does not retry a static pod that it has refused. If the machine is short of the resource named, add more first.',
        }
      : undefined,
  );

const hasEnded = ({ state, restarts }: StaticPod): boolean => state === 'exited' || restarts > 0;

const isUp = (pods: readonly StaticPod[], name: string): boolean =>
  pods.some((pod) => pod.name === name && (pod.state ?? 'running') === 'running' && pod.restarts === 0);

function byExit({ name, exitCode, reason, restarts, log }: StaticPod): Diagnosis | undefined {
  if (reason === 'OOMKilled') {
    return {
      code: 'OutOfMemory',
      cause: `${name} was killed because it ran out of memory.`,
      evidence: log.at(-1) ?? '',
    };
  }
  if (restarts === 0 && (exitCode === undefined || exitCode === 0)) return undefined;
  const how = exitCode === undefined ? '' : ` with exit status ${exitCode}`;
  return {
    code: name === 'etcd' ? 'EtcdCrashing' : 'ControlPlaneCrashing',
    cause: `${name} exited${how} and was restarted ${restarts} times.`,
    evidence: log.at(-1) ?? '',
  };
}
