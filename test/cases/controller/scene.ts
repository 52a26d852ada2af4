import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import type { ManagementCluster } from '../../support/controller/management-cluster.ts';
import type { SimulatedMachine, SimulatedOptions } from '../../support/controller/simulated-machine.ts';

/** What the parts of the case work on. */
export interface Scene {
  readonly cluster: ManagementCluster;
  readonly ca: string;
  readonly say: (line: string) => void;
  /** Another replica, with the rights of the manifests. */
  start(): Promise<ControllerProcess>;
  machine(controller: ControllerProcess, more?: Partial<SimulatedOptions>): SimulatedMachine;
}
