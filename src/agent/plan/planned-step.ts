import type { StepOutline } from '../../protocol/journal.ts';
import type {
  Command,
  DiskEntry,
  FileEntry,
  FilesystemEntry,
  GroupEntry,
  Hostname,
  KubeadmCommand,
  MountEntry,
  NtpSettings,
  UserEntry,
} from '../document/document.ts';
import type {
  ContainerdSettings,
  KernelSettings,
  NamedText,
  ProxySettings,
} from '../document/node-settings.ts';

/** What a step of each kind needs. */
export interface StepSpecs {
  'boot-command': { index: number; command: Command };
  files: { entries: FileEntry[] };
  disks: { entries: DiskEntry[] };
  filesystems: { entries: FilesystemEntry[] };
  mounts: { entries: MountEntry[] };
  hostname: Hostname;
  groups: { entries: GroupEntry[] };
  users: { entries: UserEntry[] };
  ntp: NtpSettings;
  kernel: KernelSettings;
  /** `restartLater`: another step restarts containerd. */
  proxy: { settings: ProxySettings; command: KubeadmCommand | undefined; restartLater: boolean };
  containerd: ContainerdSettings;
  'kubeadm-patches': { entries: NamedText[]; command: KubeadmCommand };
  'static-pods': { entries: NamedText[]; command: KubeadmCommand; moment: 'before' | 'after' };
  command: { index: number; command: Command };
  preflight: { command: KubeadmCommand; mend: boolean };
  kubeadm: { index: number; command: KubeadmCommand };
  ready: Record<string, never>;
}

export type StepKind = keyof StepSpecs;

/** A step as data: what is to be done, with a stable id and a digest of its content. */
export type PlannedStep = {
  [Kind in StepKind]: StepOutline & { kind: Kind; spec: StepSpecs[Kind] };
}[StepKind];
