/** The lab for tests: real machines of Linux namespaces with systemd, containerd and Kubernetes. */

export type { ProcessName } from './control-plane/config.ts';
export { ControlPlane } from './control-plane/control-plane.ts';
export { type Requirements, requirements } from './host/requirements.ts';
export type { Role } from './images/images.ts';
export { CRI_ANSWERS, type ExecOptions, Machine, type Readiness } from './machine/machine.ts';
export type { MachineFile, MachineUnit } from './machine/machine-files.ts';
export { cpuSecondsOfLabs, Lab, machineLayers, openLab, openUserLab, type UpOptions } from './open-lab.ts';
export { type Finished, LabError } from './process/command.ts';
export { type InRoot, inRoot, withScratchDir } from './root/in-root.ts';
export {
  bootCloudInit,
  CLOUD_INIT_BOOT,
  cloudInitRoot,
  ignitionBinary,
  ignitionValidator,
  runIgnition,
  type ScratchRoot,
  withScratchRoot,
} from './root/oracle.ts';
export { rootWith } from './root/packages-layer.ts';
export { FAKETIME, unpackedPackage } from './root/unpacked-package.ts';
export { DRIVE_C, WINE_ENVIRONMENT, wineLayers } from './root/wine.ts';
