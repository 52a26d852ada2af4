import type { StepKind } from '../plan/planned-step.ts';
import type { Runner } from './shell/runner.ts';

/** How each kind of step is run; loaded only where the document has one. */
export const RUNNERS: { [Kind in StepKind]: () => Promise<Runner<Kind>> } = {
  'boot-command': async () => (await import('./commands/command.ts')).bootCommand,
  files: async () => (await import('./node/files.ts')).files,
  disks: async () => (await import('./storage/disks.ts')).disks,
  filesystems: async () => (await import('./storage/filesystems.ts')).filesystems,
  mounts: async () => (await import('./storage/mounts.ts')).mounts,
  hostname: async () => (await import('./node/hostname.ts')).hostname,
  groups: async () => (await import('./accounts/groups.ts')).groups,
  users: async () => (await import('./accounts/users.ts')).users,
  ntp: async () => (await import('./node/ntp.ts')).ntp,
  kernel: async () => (await import('./node/kernel.ts')).kernel,
  proxy: async () => (await import('./node/proxy.ts')).proxy,
  containerd: async () => (await import('./containerd/containerd.ts')).containerd,
  'kubeadm-patches': async () => (await import('./kubeadm/kubeadm-patches.ts')).kubeadmPatches,
  'static-pods': async () => (await import('./kubeadm/static-pods.ts')).staticPods,
  command: async () => (await import('./commands/command.ts')).command,
  preflight: async () => (await import('./kubeadm/preflight.ts')).preflight,
  kubeadm: async () => (await import('./kubeadm/kubeadm-step.ts')).kubeadm,
  ready: async () => (await import('./kubeadm/ready.ts')).ready,
};
