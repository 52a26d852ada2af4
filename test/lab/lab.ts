/** The lab for tests: real machines of Linux namespaces with systemd, containerd and Kubernetes. */
export { type Finished, LabError } from './command.ts';
export type { ProcessName } from './control-plane/config.ts';
export { ControlPlane } from './control-plane/control-plane.ts';
export type { Role } from './images.ts';
export { type ExecOptions, Machine, type Readiness } from './machine.ts';
export type { MachineFile, MachineUnit } from './machine-files.ts';
export { Lab, openLab, openUserLab, type UpOptions } from './open-lab.ts';
export {
  bootCloudInit,
  cloudInitRoot,
  ignitionBinary,
  ignitionValidator,
  runIgnition,
  type ScratchRoot,
  withScratchRoot,
} from './oracle.ts';
export { type Requirements, requirements } from './requirements.ts';
export { FAKETIME, unpackedPackage } from './unpacked-package.ts';
