/** Explains by the static pods of the control plane: etcd first, since the API server ends when etcd does. */
import type { Evidence, StaticPod } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import { readComponentLog } from './component-log.ts';

const ORDER = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

export function explainStaticPods({ staticPods }: Evidence): Diagnosis | undefined {
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

const hasEnded = ({ state, restarts }: StaticPod): boolean => state === 'exited' || restarts > 0;

const isUp = (pods: readonly StaticPod[], name: string): boolean =>
  pods.some((pod) => pod.name === name && (pod.state ?? 'running') === 'running' && pod.restarts === 0);

function byExit({ name, exitCode, reason, restarts, log }: StaticPod): Diagnosis | undefined {
  if (reason === 'OOMKilled') {
    return {
      code: 'OutOfMemory',
      cause: `${name} was ended because no memory was left.`,
      evidence: log.at(-1) ?? '',
    };
  }
  if (restarts === 0 && (exitCode === undefined || exitCode === 0)) return undefined;
  const how = exitCode === undefined ? '' : ` with exit status ${exitCode}`;
  return {
    code: name === 'etcd' ? 'EtcdCrashing' : 'ControlPlaneCrashing',
    cause: `${name} ended${how} and was started again ${restarts} times.`,
    evidence: log.at(-1) ?? '',
  };
}
