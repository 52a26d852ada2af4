import { SENTINEL } from '../../../src/agent/document/paths.ts';
import { type Machine, openLab } from '../../lab/lab.ts';
import { newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, controlPlaneJoin } from '../../support/cluster-api/user-data.ts';
import { Boots, prepared, timed } from '../boot/boots.ts';
import { WAYS } from '../boot/contenders.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row } from '../row.ts';

const INIT_IP = '10.99.1.10';
const JOIN_IP = '10.99.1.11';
const READY_LIMIT = 240;

/** From the start of PID 1 to a Ready control plane, and to another one that joins it: three ways, in turn, on the same image. */
export const controlPlanes: Row = async ({ runs = 2, say }) => {
  const lab = await openLab();
  try {
    const boots = new Boots(['first control plane', 'second control plane'], runs, say);
    for (let run = 0; run <= runs; run += 1) {
      for (const way of WAYS) {
        const cluster = await newCluster(INIT_IP);
        const role = 'control-plane';
        const init = controlPlaneInit(cluster, INIT_IP);
        const first = await prepared(lab, 'cp1', way, { role, userData: init, ip: INIT_IP });
        const { seconds: made } = await timed(first, () => readyBy(first, 'cp1'));
        await boots.note(run, first, { role: 'first control plane', way, seconds: made });
        await joinable(first);
        const join = controlPlaneJoin(cluster, JOIN_IP);
        const second = await prepared(lab, 'cp2', way, { role, userData: join, ip: JOIN_IP });
        const { seconds: joined } = await timed(second, () => readyBy(first, 'cp2'));
        await boots.note(run, second, { role: 'second control plane', way, seconds: joined });
        await second.down();
        await first.down();
      }
    }
    return boots.result();
  } finally {
    await lab.close();
  }
};

/** Only the API server of the control plane itself knows its Nodes. */
async function readyBy(machine: Machine, name: string): Promise<number> {
  const kubectl = 'kubectl --kubeconfig /etc/kubernetes/admin.conf';
  const ask = `${kubectl} wait --for=condition=Ready node/${name} --timeout=60s`;
  const script = `end=$(($(date +%s) + ${READY_LIMIT})); until ${ask}; do [ $(date +%s) -lt $end ] || exit 1; sleep 0.2; done`;
  const { code, stderr } = await machine.exec(['sh', '-c', script], {
    timeoutMs: 1000 * (READY_LIMIT + 60),
  });
  if (code !== 0) throw new BenchError(`${name} was not Ready after ${READY_LIMIT} s: ${stderr.slice(-300)}`);
  return performance.now();
}

/** A Ready Node may still lack what others join by: what kubeadm does last, and the controller manager's signature with the token. */
async function joinable(machine: Machine): Promise<void> {
  const kubectl = 'kubectl --kubeconfig /etc/kubernetes/admin.conf --namespace kube-public';
  const signed = `${kubectl} get configmap cluster-info --output yaml | grep --quiet jws-kubeconfig-`;
  const script = `until [ -e ${SENTINEL} ] && ${signed}; do sleep 0.2; done`;
  const { code } = await machine.exec(['sh', '-c', script], { timeoutMs: 1000 * READY_LIMIT });
  if (code !== 0) throw new BenchError(`${machine.name} could not be joined after ${READY_LIMIT} s`);
}
