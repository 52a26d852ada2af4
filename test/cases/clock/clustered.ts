import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { recordOf } from '../../../src/controller/store/node-bootstrap.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import type { SteppedClock } from '../../support/stepped-clock.ts';
import { expectOnce } from './ledger.ts';

const NAMESPACE = 'slipway-system';

/** Controllers with a real API server, whose own clock is right, and simulated machines. */
export class Clustered {
  readonly cluster: ManagementCluster;
  readonly controllers: ControllerProcess[] = [];
  readonly #machines = new Map<string, SimulatedMachine>();
  #ca = '';

  private constructor(cluster: ManagementCluster) {
    this.cluster = cluster;
  }

  static async start(say: (line: string) => void): Promise<Clustered> {
    return new Clustered(await ManagementCluster.start(say));
  }

  /** Another replica. */
  async replica(clock: SteppedClock): Promise<ControllerProcess> {
    const words = [`--kubeconfig=${this.cluster.api.kubeconfig(CONTROLLER)}`, `--namespace=${NAMESPACE}`];
    const controller = await ControllerProcess.start(words, clock.command);
    this.controllers.push(controller);
    return controller;
  }

  /** A machine that enrols with its Machine's token and has begun: its Machine says so. */
  async begun(name: string, { port }: ControllerProcess): Promise<SimulatedMachine> {
    const { cluster } = this;
    this.#ca ||= await kubernetesCertificate(cluster.client, NAMESPACE);
    await cluster.createMachine(name, { token: true });
    const token = await cluster.machineToken(name);
    const machine = new SimulatedMachine({ port, ca: this.#ca, instance: name });
    this.#machines.set(name, machine);
    await machine.enrol(token);
    for (const body of bootstrapEvents(40).slice(0, 3)) machine.tell(body);
    await machine.report();
    await this.says(name, 'Unknown', 'Running');
    return machine;
  }

  /** It tells the rest, verdict included. @returns milliseconds until its Machine says so */
  async conclude(machine: SimulatedMachine, failed: boolean): Promise<number> {
    const name = machine.identity.instance;
    for (const body of bootstrapEvents(40, failed).slice(3)) machine.tell(body);
    // Handshakes by the clock as it stands now.
    machine.hangUp();
    const began = performance.now();
    await Promise.all([
      eventually(`the verdict of ${name}`, async () => {
        await machine.report();
        return machine.spool.length === 0 || undefined;
      }),
      failed ? this.says(name, 'False', 'ApiServerUnreachable') : this.says(name, 'True', 'Bootstrapped'),
    ]);
    return performance.now() - began;
  }

  /** Waits until the Machine's condition says this. */
  async says(name: string, status: string, reason: string): Promise<void> {
    await eventually(`${status} ${reason} on Machine ${name}`, async () => {
      const found = await this.cluster.condition(name);
      return (found?.status === status && found.reason === reason) || undefined;
    });
  }

  /** Everything that was told is stored once and in order. */
  async expectEverything(): Promise<void> {
    for (const [name, machine] of this.#machines) {
      while (machine.spool.length > 0) {
        await machine.report();
        await sleep(50);
      }
      const object = await this.cluster.node(name);
      const events = object.status?.eventLog ?? [];
      expectOnce(recordOf(object), events);
      assert.equal(events.length, machine.seq, name);
    }
  }

  async stop(): Promise<void> {
    for (const machine of this.#machines.values()) machine.hangUp();
    for (const controller of this.controllers) await controller.end('SIGKILL');
    await this.cluster.close();
  }
}
