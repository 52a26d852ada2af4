import type { StepKind } from '../plan/planned-step.ts';
import type { Runner } from './runner.ts';

/** How each kind of step is run; loaded only where the document has one. */
export const RUNNERS: { [Kind in StepKind]: () => Promise<Runner<Kind>> } = {
  'boot-command': async () => (await import('./command.ts')).bootCommand,
  files: async () => (await import('./files.ts')).files,
  disks: async () => (await import('./disks.ts')).disks,
  filesystems: async () => (await import('./filesystems.ts')).filesystems,
  mounts: async () => (await import('./mounts.ts')).mounts,
  hostname: async () => (await import('./hostname.ts')).hostname,
  groups: async () => (await import('./groups.ts')).groups,
  users: async () => (await import('./users.ts')).users,
  ntp: async () => (await import('./ntp.ts')).ntp,
  kernel: async () => (await import('./kernel.ts')).kernel,
  proxy: async () => (await import('./proxy.ts')).proxy,
  containerd: async () => (await import('./containerd.ts')).containerd,
  'kubeadm-patches': async () => (await import('./kubeadm-patches.ts')).kubeadmPatches,
  'static-pods': async () => (await import('./static-pods.ts')).staticPods,
  command: async () => (await import('./command.ts')).command,
  preflight: async () => (await import('./preflight.ts')).preflight,
  kubeadm: async () => (await import('./kubeadm.ts')).kubeadm,
  ready: async () => (await import('./ready.ts')).ready,
};
