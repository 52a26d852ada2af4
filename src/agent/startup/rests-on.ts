import type { Code } from '../../protocol/codes/codes.ts';
import type { Foundation } from './services.ts';

/**
 * For each permanent code, and for some that pass: what has to be up before a verdict with it is final. An empty row:
 * the code rests on the text of the user data, on kubeadm's configuration, or on what the cluster says, none of which a
 * boot changes.
 *
 * Each row answers one question: could this be true only for the first minute of a boot?
 */
export const RESTS_ON: Readonly<Partial<Record<Code, readonly Foundation[]>>> = {
  // A cloud serves an instance's user data a moment after it serves the instance.
  UserDataEmpty: ['network'],
  UserDataWiped: [],
  // Where a file is to be mounted, there is a directory before.
  UserDataUnreadable: ['mounts'],
  NothingToRepeat: [],
  MetadataServesSecrets: [],
  // A service that is not up yet may be answered for by another.
  MetadataRefused: ['network'],
  // NetworkManager and networkd answer only when they are up.
  NetworkNotConfigured: ['network'],
  UserDataMakesNoNode: [],
  // Ignition runs before the root file system is there.
  IgnitionHasRun: [],
  UserDataTooLarge: [],
  UserDataFormatUnknown: [],
  UserDataUndecodable: [],
  UserDataNotUtf8: [],
  UserDataSyntax: [],
  UserDataTemplate: [],
  UserDataInvalid: [],
  UserDataIgnoredKey: [],
  // A root file system that is still read-only, or a mount that is still missing.
  FileNotWritten: ['mounts'],
  FileSystemReadOnly: ['disks'],
  FileAccessDenied: ['mounts'],
  // Only a log says it.
  CoreDnsLoop: [],
  // No start runs a command of the user data twice.
  ConfigFileUnsafe: [],
  CommandFailed: [],
  CommandEndedScript: [],
  DeadlineExceeded: [],
  InternalError: [],
  JournalDamaged: [],
  KubeadmNotFound: ['programs'],
  ToolMissing: ['programs'],
  // The account files are locked while others write to them.
  GroupNotCreated: ['accounts'],
  UserNotCreated: ['accounts'],
  AccountSettingIgnored: [],
  ImageNotAsked: [],
  // The programs themselves wait for what they need of others.
  SystemSettingFailed: [],
  TimeSyncNotSetUp: ['time'],
  // A server said no; where names or routes are not there yet, it may have been another one.
  ResourceRefused: ['names', 'network'],
  // udev's probing holds a disk open.
  DiskInUse: ['disks'],
  DiskLeftAlone: ['disks'],
  DiskNotPartitioned: ['disks'],
  ArrayNotMade: ['disks', 'kernel'],
  DeviceNotEncrypted: ['disks', 'kernel'],
  FilesystemNotMade: ['disks'],
  MountFailed: ['disks', 'network'],
  KernelModuleNotLoaded: ['kernel'],
  SysctlNotSet: ['kernel', 'address'],
  ContainerdConfigInvalid: [],
  ContainerdNotRestarted: ['runtime'],
  ProxyNotSetUp: ['runtime'],
  BootstrapNotRun: [],
  CloudInitFailed: [],
  ReportConfigInvalid: [],
  KubeadmConfigFieldUnknown: [],
  KubeadmConfigNotExpressible: [],
  KernelTooOld: [],
  // Disks and GPUs come up with their drivers.
  MachineNotAsExpected: ['disks', 'kernel'],
  // systemd mounts the hierarchies before anything of ours runs.
  CgroupsUnsuitable: [],
  KernelSettingMended: [],
  // A file system grows to its disk's size during the boot.
  DiskSpaceLow: ['disks'],
  HostNameUnresolved: ['names', 'network'],
  DnsNotConfigured: ['names', 'network'],
  NodeIpNotOnMachine: ['address'],
  NodeNameWrong: [],
  NodeProviderIdWrong: [],
  ProviderIdMismatch: [],
  KubeadmConfigInvalid: [],
  KubeadmConfigNotFound: ['disks'],
  // As of VersionSkew: the kubeadm may be another one in a moment.
  KubeadmConfigVersionUnsupported: ['programs'],
  KubeadmArgumentInvalid: [],
  KubeadmNotTakenOver: [],
  NotKnownToMakeANode: [],
  NodeLeftAsItIs: [],
  KernelArgumentsNotSet: ['disks'],
  KernelArgumentsLater: [],
  PreflightFailed: ['runtime', 'network', 'kernel'],
  // A program of the boot before, or a container that the runtime is still taking away.
  PortInUse: ['runtime'],
  LeftoversFound: [],
  ProgramMissing: ['programs'],
  KernelSettingWrong: ['kernel', 'address'],
  SwapEnabled: ['disks'],
  MachineTooSmall: [],
  NotRoot: [],
  VersionSkew: ['programs'],
  ContainerRuntimeUnsuitable: ['runtime'],
  // A registry answered; another one, where names or routes are not there yet.
  ImageNotFound: ['names', 'network'],
  ImagePullDenied: ['names', 'network'],
  // A certificate is not valid yet where the clock is behind; another machine answers where names or routes are not there yet.
  ApiServerCertificateInvalid: ['time', 'names', 'network'],
  TokenSecretWrong: [],
  // Whoever answers with another authority is another cluster, in the first minute of a boot as later.
  CaHashMismatch: [],
  DiscoveryFileInvalid: ['time', 'disks'],
  // An API server refuses everybody until it has read its rules.
  PermissionDenied: ['cluster'],
  CertificateKeyInvalid: [],
  CertificatesMissing: ['disks'],
  CertificateInvalid: ['time'],
  KubeletNotStarted: ['programs'],
  ControlPlaneEndpointMissing: [],
  // The machine does not have its address yet.
  ControlPlaneConfigInvalid: ['address'],
  // The host name comes by DHCP.
  NodeNameInvalid: ['address'],
  KubeletBadFlag: [],
  KubeletConfigInvalid: [],
  KubeletFileMissing: ['disks'],
  CgroupDriverMismatch: ['runtime'],
  ControlPlaneBadFlag: [],
  EtcdDataUnusable: ['disks'],
  TokenExpired: ['time'],
  // The TPM is there, and says so itself; its driver may come late, which is TpmAbsent.
  TpmSwitchedOff: [],
  TpmPasswordSet: [],
  TpmBootStateChanged: [],
  TpmTampered: [],
  EndorsementKeyMismatch: [],
  // Said by the controller of a proof that it has.
  EndorsementKeyForeign: [],
  TpmStateWentBack: [],
  EndorsementKeyUntrusted: [],
  EnrolmentTooLate: [],
  SealedFileForeign: [],
  SealedFileDamaged: [],
  UserDataSealed: [],
  SealedDataMismatch: [],
  // Where no controller is asked, the machine's own clock says so.
  SealedDataExpired: ['time'],
  SealedDataTaken: [],
  SealedDataForeign: [],
  // Opened here, or said by a store that answers.
  SecretUndecryptable: [],
  SecretOpenedElsewhere: [],
  SecretNotDeleted: [],

  // These pass by themselves, so nobody has to ask before they are tried again. What comes of them does depend on it: some
  // are tried a few times only, and a check tells them as a matter of starting.
  UserDataNotFound: ['disks'],
  MetadataUnreachable: ['network', 'address'],
  SealedDataUnreachable: ['network', 'names', 'time'],
  DiskNotFound: ['disks'],
  DiskFull: ['disks'],
  MountDeviceMissing: ['disks'],
  ContainerRuntimeDown: ['runtime'],
  ApiServerNameUnresolved: ['names', 'network'],
  // What the cluster says of its tokens; it is final after a grace (`GRACE_SECONDS`).
  TokenUnknown: [],
  ApiServerUnreachable: ['network'],
  NoUsableAddress: ['address'],
  ClockWrong: ['time'],
};
