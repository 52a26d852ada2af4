/** The lab for tests: real machines of Linux namespaces with systemd, containerd and Kubernetes. */

export { ControlPlane } from './control-plane/control-plane.ts';
export { type Requirements, requirements } from './host/requirements.ts';
export type { Role } from './images/images.ts';
export { CRI_ANSWERS, Machine } from './machine/machine.ts';
export type { MachineFile, MachineUnit } from './machine/machine-files.ts';
export { cpuSecondsOfLabs, Lab, machineLayers, openLab } from './open-lab.ts';
export { prepareMachines } from './prepare.ts';
export { type Finished, LabError } from './process/command.ts';
export { debianRoot } from './root/debian-root.ts';
export { inRoot, withScratchDir } from './root/in-root.ts';
export {
  CLOUD_INIT_BOOT,
  cloudInitRoot,
  ignitionValidator,
  runIgnition,
  type ScratchRoot,
  withScratchRoot,
} from './root/oracle.ts';
export { rootWith } from './root/packages-layer.ts';
export { FAKETIME, unpackedPackage } from './root/unpacked-package.ts';
export { DRIVE_C, WINE_ENVIRONMENT, wineLayers } from './root/wine.ts';
