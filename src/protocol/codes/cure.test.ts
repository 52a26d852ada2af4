import { expect, it } from 'vitest';
import { codes } from './codes.ts';
import type { CodeEntry, Curer } from './entry.ts';

/**
 * Who cures each code, a second time, so that a change is made on purpose.
 */
const WANTED: Record<Curer, string> = {
  'this-machine': `
    UserDataUnreadable NothingToRepeat Interrupted AgentBusy DeadlineExceeded JournalNotWritten OutcomeNotWritten
    SentinelNotWritten Unclassified ImageNotAsked KernelArgumentsLater AgentKilled AgentCrashed AgentHung
    ContainerRuntimeDown ClockWrong KubeletUnhealthy ControlPlaneNotReady NodeLeftAsItIs NodeNotRegistered
    KubeadmTimedOut KubeadmInterrupted KubeletCrashing ControlPlaneCrashing EtcdCrashing TpmSwitchedOff TpmLockedOut
    TpmPasswordSet TpmFailed UserDataSealed
  `,
  'another-machine': `
    UserDataWiped JournalDamaged TokenExpired
  `,
  template: `
    UserDataEmpty UserDataMakesNoNode IgnitionHasRun UserDataTooLarge UserDataFormatUnknown UserDataUndecodable
    UserDataNotUtf8 UserDataSyntax UserDataTemplate UserDataInvalid UserDataIgnoredKey FileNotWritten DiskFull
    FileSystemReadOnly FileAccessDenied CommandFailed CommandEndedScript InternalError KubeadmNotFound ToolMissing
    GroupNotCreated UserNotCreated AccountSettingIgnored SystemSettingFailed NetworkNotConfigured ResourceRefused
    UnitNotStarted TimeSyncNotSetUp KernelArgumentsNotSet DiskInUse DiskLeftAlone DiskNotPartitioned ArrayNotMade
    DeviceNotEncrypted FilesystemNotMade MountFailed KernelModuleNotLoaded SysctlNotSet ContainerdConfigInvalid
    ContainerdNotRestarted ProxyNotSetUp BootstrapNotRun CloudInitFailed ReportConfigInvalid ConfigFileUnsafe
    SecretNotFound SecretUndecryptable SecretOpenedElsewhere KubeadmConfigFieldUnknown KubeadmConfigNotExpressible
    KernelTooOld MachineNotAsExpected CgroupsUnsuitable KernelSettingMended DiskSpaceLow HostNameUnresolved
    NodeIpNotOnMachine NodeNameWrong ProviderIdMismatch NodeAddressWrong KubeadmConfigInvalid KubeadmConfigNotFound
    KubeadmConfigVersionUnsupported KubeadmArgumentInvalid KubeadmNotTakenOver NotKnownToMakeANode PreflightFailed
    PortInUse LeftoversFound ProgramMissing KernelSettingWrong SwapEnabled MachineTooSmall NotRoot VersionSkew
    ContainerRuntimeUnsuitable ImageNotFound ImagePullDenied DiscoveryFileInvalid KubeletNotStarted
    ControlPlaneConfigInvalid NodeNameInvalid KubeletBadFlag KubeletConfigInvalid KubeletFileMissing
    CgroupDriverMismatch OutOfMemory ContainerNotStarted ControlPlaneBadFlag CoreDnsLoop TpmAbsent SealedFileForeign
    SealedFileDamaged
  `,
  cluster: `
    NodeProviderIdWrong NodeNotReady ApiServerUnreachable ApiServerUnavailable ApiServerCertificateInvalid
    TokenUnknown TokenSecretWrong CaHashMismatch ClusterInfoUnavailable CredentialsRejected PermissionDenied
    CertificateKeyInvalid CertificateSecretMissing CertificatesMissing CertificateInvalid KubeletCertificateNotIssued
    ClusterNotInitialised ControlPlaneEndpointSilent ControlPlaneEndpointMissing EtcdUnhealthy EtcdMemberNotAdded
    EtcdLearnerNotReady EtcdQuorumAtRisk NodeNameInUse EtcdDataUnusable TpmBootStateChanged SealedDataUnreachable
    SealedDataRefused SealedDataMissing SealedDataMismatch SealedDataExpired SealedDataTaken SealedDataForeign
    NodePending NodeQuarantined CredentialUnavailable CredentialRefused EndorsementKeyForeign TpmStateWentBack
    EndorsementKeyUntrusted EnrolmentTooLate ReferenceMachineUnknown IdentityPolicyInvalid
  `,
  cloud: `
    UserDataNotFound MetadataUnreachable MetadataRefused SourceNotServed MetadataServesSecrets PackagesNotInstalled
    ResourceNotFetched DiskNotFound MountDeviceMissing SecretStoreUnreachable SecretDenied SecretNotDeleted
    DnsNotConfigured ImagePullFailed NoUsableAddress ApiServerNameUnresolved TpmTampered EndorsementKeyMismatch
  `,
};

const reviewed = Object.entries(WANTED).flatMap(([who, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((code): [string, string] => [code, who]),
);

it.each(Object.entries<CodeEntry>(codes()))('%s is cured by the one decided in review', (code, { cure }) => {
  expect(reviewed.filter(([name]) => name === code)).toEqual([[code, cure.who]]);
});

it('has a decision for no code that does not exist', () => {
  expect(reviewed.map(([code]) => code).filter((code) => !Object.hasOwn(codes(), code))).toEqual([]);
});
