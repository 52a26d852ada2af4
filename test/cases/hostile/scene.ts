import { strict as assert } from 'node:assert';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { SimulatedMachine, type SimulatedOptions } from '../../support/controller/simulated-machine.ts';

/** A real API server, a controller with the rights of its manifests, and machines of all kinds. */
export interface Scene {
  readonly cluster: ManagementCluster;
  /** The first replica. */
  readonly controller: ControllerProcess;
  readonly ca: string;
  readonly say: (line: string) => void;
  /** Another replica. */
  start(words?: readonly string[]): Promise<ControllerProcess>;
  machine(more?: Partial<SimulatedOptions>): SimulatedMachine;
  /** What a command prints, asked with an administrator's rights. @throws where it fails */
  command(...words: string[]): Promise<string>;
  /** A pool's token; `more` are options of `token create`. */
  poolToken(...more: string[]): Promise<string>;
  lastWords(): string;
  close(): Promise<void>;
}

export async function openScene(say: (line: string) => void): Promise<Scene> {
  const cluster = await ManagementCluster.start(say);
  const started: ControllerProcess[] = [];
  const machines: SimulatedMachine[] = [];
  const start = async (more: readonly string[] = []): Promise<ControllerProcess> => {
    const words = [`--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`, '--namespace=slipway-system'];
    const controller = await ControllerProcess.start([...words, ...more]);
    started.push(controller);
    return controller;
  };
  const close = async (): Promise<void> => {
    for (const machine of machines) machine.hangUp();
    await Promise.all(started.map((controller) => controller.end('SIGKILL')));
    await cluster.close();
  };
  const command = async (...words: string[]): Promise<string> => {
    const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
    const { code, stdout, stderr } = await controllerCommand([...words, access]);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  try {
    const controller = await start();
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    return {
      ...{ cluster, controller, ca, say, start, command, close },
      machine: (more = {}) => {
        const machine = new SimulatedMachine({ port: controller.port, ca, ...more });
        machines.push(machine);
        return machine;
      },
      poolToken: (...more) => command('token', '--namespace=default', '--ttl=1h', ...more),
      lastWords: () => started.map(({ lines }) => lines.slice(-12).join('\n')).join('\n'),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
