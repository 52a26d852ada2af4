import { openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { Boots, prepared, timed } from '../boot/boots.ts';
import { WAYS } from '../boot/contenders.ts';
import { forgetNode, podFor } from '../boot/pod.ts';
import { READY_NODES, RUNNING_PODS, StateWatch } from '../boot/state-watch.ts';
import type { Row } from '../row.ts';

/** From the start of PID 1, with the user data in place, to a Ready worker: three ways, in turn, on the same image. */
export const boot: Row = async ({ runs = 5, say }) => {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const nodes = await StateWatch.open(controlPlane, READY_NODES, say);
    const pods = await StateWatch.open(controlPlane, RUNNING_PODS, say);
    const boots = new Boots(['worker'], runs, say);
    try {
      const cluster = await joinableCluster(controlPlane);
      for (let run = 0; run <= runs; run += 1) {
        for (const [index, way] of WAYS.entries()) {
          const name = `w${run}-${index}`;
          const machine = await prepared(lab, name, way, { role: 'worker', userData: workerJoin(cluster) });
          const pod = pods.seen(await podFor(controlPlane, name));
          const { started, seconds } = await timed(machine, () => nodes.seen(name));
          const podSeconds = ((await pod) - started) / 1000;
          await boots.note(run, machine, { role: 'worker', way, seconds, podSeconds });
          await machine.down();
          await forgetNode(controlPlane, name);
        }
      }
    } finally {
      await nodes.close();
      await pods.close();
    }
    return boots.result();
  } finally {
    await lab.close();
  }
};
