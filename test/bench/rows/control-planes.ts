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

/**
 * Only the API server of the control plane itself knows its Nodes. Until it listens nothing but its port is asked, and
 * then there is a watch: a kubectl that is started again and again takes a fifth of a processor from those who are
 * measured. From 1.29 on admin.conf may not read a Node before kubeadm has come to its role, some half a second after it was Ready.
 */
async function readyBy(machine: Machine, name: string): Promise<number> {
  const watch =
    'kubectl --kubeconfig "$config" get nodes --watch ' +
    `--output 'jsonpath={.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}'`;
  const script = `
    until (: </dev/tcp/127.0.0.1/6443) 2>/dev/null; do sleep 0.1; done
    config=/etc/kubernetes/super-admin.conf
    [ -e $config ] || config=/etc/kubernetes/admin.conf
    while :; do
      while read -r line; do [ "$line" = '${name} True' ] && { kill $!; exit; }; done < <(${watch})
      sleep 0.1
    done`;
  const { code, stderr } = await machine.exec(['timeout', `${READY_LIMIT}`, 'bash', '-c', script], {
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
