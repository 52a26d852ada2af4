import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { commands } from './commands.ts';
import { conditions } from './conditions.ts';
import { faults } from './faults.ts';
import { madeAnew } from './made-anew.ts';
import { manifests } from './manifests.ts';
import { older } from './older.ts';
import { pools } from './pools.ts';
import { renewal } from './renewal.ts';
import { rivals } from './rivals.ts';
import { rotation } from './rotation.ts';
import type { Scene } from './scene.ts';
import { ties } from './ties.ts';
import { watching } from './watching.ts';

export const about =
  'the controller against a real API server: ties, conditions, replicas, faults, watches, with the rights of its manifests and no more';

export async function run(say: (line: string) => void): Promise<void> {
  const cluster = await ManagementCluster.start(say);
  const words = [`--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`, '--namespace=slipway-system'];
  const started: ControllerProcess[] = [];
  const start = async (): Promise<ControllerProcess> => {
    const controller = await ControllerProcess.start(words);
    started.push(controller);
    return controller;
  };
  try {
    say('a real API server with the CRDs');
    const first = await start();
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    const scene: Scene = {
      cluster,
      ca,
      say,
      start,
      machine: (controller, more = {}) => new SimulatedMachine({ port: controller.port, ca, ...more }),
    };
    await manifests(scene);
    await ties(scene, first);
    await conditions(scene, first);
    await pools(cluster, first, ca, say);
    await commands(scene);
    await renewal(scene, first);
    await madeAnew(scene, first);
    await first.end('SIGTERM');
    await faults(scene);
    await rivals(scene);
    await watching(scene);
  } catch (error) {
    say(`the controllers' last words:\n${started.map(({ lines }) => lines.slice(-6).join('\n')).join('\n')}`);
    throw error;
  } finally {
    await Promise.all(started.map((controller) => controller.end('SIGKILL')));
    await cluster.close();
  }
  await rotation(say);
  await older(say);
}
