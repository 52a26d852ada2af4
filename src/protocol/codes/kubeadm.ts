/**
 * Codes for failures of `kubeadm init` and `kubeadm join`, in the order in which kubeadm works:
 * configuration, preflight, discovery, credentials, kubelet, control plane, etcd, node.
 *
 * `permanent` is only what the next attempt on the same machine with the same user data is certain to meet
 * again. Where kubeadm's output does not distinguish "never" from "not yet" (somebody may create an unknown
 * token a second later; a runtime that is still starting makes the kubelet unhealthy), the entry says
 * `until-deadline`.
 */
import { type CodeEntry, entry } from './entry.ts';

export const KUBEADM_CODES = {
  KubeadmConfigInvalid: entry(
    'user data',
    'permanent',
    'The kubeadm configuration is not valid.',
    'Correct the place named in the KubeadmConfig (or in the file that --config names) and replace the machine.',
  ),
  KubeadmConfigNotFound: entry(
    'user data',
    'permanent',
    'The kubeadm configuration file is not there.',
    'Let user data write the file before kubeadm runs, or correct the path behind --config.',
  ),
  KubeadmConfigVersionUnsupported: entry(
    'user data',
    'permanent',
    'The installed kubeadm does not speak the API version of its configuration.',
    'Use an image whose kubeadm has the Kubernetes version of the Machine.',
  ),
  KubeadmArgumentInvalid: entry(
    'user data',
    'permanent',
    'kubeadm does not accept its command line.',
    'Correct the flag named; it may belong to another version of kubeadm.',
  ),
  KubeadmNotTakenOver: entry(
    'user data',
    'permanent',
    'A command calls kubeadm in a way that Slipway leaves to the shell, so it is neither tried again nor explained.',
    'Write it on a line of its own as Cluster API does: kubeadm join --config FILE && echo success > SENTINEL.',
  ),
  PreflightFailed: entry(
    'preflight',
    'permanent',
    'The machine does not pass the preflight checks of kubeadm.',
    'Correct what the checks name in the image or in the machine template, and replace the machine.',
  ),
  PortInUse: entry(
    'preflight',
    'permanent',
    'A port that Kubernetes needs is in use.',
    'Find what listens there (ss -ltnp) and stop it; an earlier kubelet or control plane is the usual reason (kubeadm reset).',
  ),
  LeftoversFound: entry(
    'preflight',
    'permanent',
    'Files of an earlier Kubernetes node are on this machine.',
    'Build the image without them, or run kubeadm reset -f before the machine is bootstrapped.',
  ),
  ProgramMissing: entry(
    'preflight',
    'permanent',
    'A program that kubeadm needs is not installed.',
    'Put the program named into the image, in a directory of PATH.',
  ),
  KernelSettingWrong: entry(
    'preflight',
    'permanent',
    'A kernel setting or module that Kubernetes needs is not there.',
    'Set it in the image: the module in /etc/modules-load.d, the setting in /etc/sysctl.d.',
  ),
  SwapEnabled: entry(
    'preflight',
    'permanent',
    'Swap is on.',
    'Turn it off (swapoff -a, and remove it from /etc/fstab), or set failSwapOn: false for the kubelet.',
  ),
  MachineTooSmall: entry(
    'preflight',
    'permanent',
    'The machine has fewer processors or less memory than kubeadm demands.',
    'Choose a larger machine type; a control plane needs 2 CPUs and 1700 MB.',
  ),
  NotRoot: entry('preflight', 'permanent', 'kubeadm does not run as root.', 'Run it as root.'),
  VersionSkew: entry(
    'preflight',
    'permanent',
    'The versions of kubeadm, kubelet and the control plane do not fit together.',
    'Use an image whose kubeadm and kubelet have the Kubernetes version of the Machine.',
  ),
  ContainerRuntimeDown: entry(
    'runtime',
    'transient',
    'The container runtime does not answer.',
    'Look at systemctl status containerd and journalctl -u containerd; check nodeRegistration.criSocket.',
  ),
  ContainerRuntimeUnsuitable: entry(
    'runtime',
    'permanent',
    'The container runtime cannot be used as it is set up.',
    'Enable its CRI plugin (disabled_plugins in /etc/containerd/config.toml), update it, or name one socket with nodeRegistration.criSocket.',
  ),
  ImagePullFailed: entry(
    'image',
    'until-deadline',
    'A container image could not be pulled.',
    'Check that the registry is reachable from this machine (DNS, proxy, mirror), or put the image into the machine image.',
  ),
  ImageNotFound: entry(
    'image',
    'permanent',
    'A container image does not exist in its registry.',
    'Correct imageRepository and kubernetesVersion, or push the image there.',
  ),
  ImagePullDenied: entry(
    'image',
    'permanent',
    'The registry refuses to give out a container image.',
    'Give the container runtime credentials for that registry, or make the image public.',
  ),
  NoUsableAddress: entry(
    'network',
    'until-deadline',
    'This machine has no IP address and default route that Kubernetes could use.',
    'Check the network configuration of the machine (ip address, ip route), or set localAPIEndpoint.advertiseAddress.',
  ),
  ApiServerNameUnresolved: entry(
    'network',
    'transient',
    'The name of the API server cannot be resolved.',
    'Check the control plane endpoint, and the DNS servers of this machine (resolvectl status).',
  ),
  ApiServerUnreachable: entry(
    'network',
    'transient',
    'The API server cannot be reached.',
    'Check that the control plane endpoint is right and its load balancer up, and that routes, firewall and security groups let this machine through.',
  ),
  ApiServerUnavailable: entry(
    'network',
    'transient',
    'The API server answers, but cannot serve the request.',
    'Look at the health of the control plane and of its etcd; nothing on this machine is wrong.',
  ),
  ApiServerCertificateInvalid: entry(
    'discovery',
    'permanent',
    'The certificate of the API server is not valid for this cluster or this address.',
    'Add the control plane endpoint to apiServer.certSANs, and check that the endpoint leads to the right cluster.',
  ),
  ClockWrong: entry(
    'node',
    'until-deadline',
    'A certificate is not valid at the time that the clock of this machine shows.',
    'Set the clock (NTP); if the clock is right, the certificate named has expired and must be renewed.',
  ),
  TokenUnknown: entry(
    'discovery',
    'until-deadline',
    'The cluster does not know the bootstrap token, or it has expired.',
    'Let Cluster API make new bootstrap data (replace the machine), or create the token; check that kube-controller-manager runs its token controllers.',
  ),
  TokenSecretWrong: entry(
    'discovery',
    'permanent',
    'The secret half of the bootstrap token is wrong, or another cluster answers at this endpoint.',
    'Check that the control plane endpoint leads to the right cluster, then let Cluster API make new bootstrap data.',
  ),
  CaHashMismatch: entry(
    'discovery',
    'permanent',
    'The cluster has another certificate authority than the one that this machine was told to trust.',
    'Check that the control plane endpoint leads to the right cluster; correct caCertHashes if the CA was replaced.',
  ),
  ClusterInfoUnavailable: entry(
    'discovery',
    'until-deadline',
    'The cluster does not publish the cluster-info that a join needs.',
    'Run kubeadm init phase bootstrap-token on a control plane, and check that anonymous access to cluster-info is allowed.',
  ),
  DiscoveryFileInvalid: entry(
    'discovery',
    'permanent',
    'The kubeconfig for discovery cannot be used.',
    'Correct discovery.file in the KubeadmConfig.',
  ),
  CredentialsRejected: entry(
    'credentials',
    'until-deadline',
    'The API server does not accept the credentials of this machine.',
    'Check that the bootstrap token has the usage "authentication" and has not expired; let Cluster API make new bootstrap data.',
  ),
  PermissionDenied: entry(
    'credentials',
    'permanent',
    'The credentials of this machine may not do what kubeadm needs.',
    'Restore the RBAC rules with kubeadm init phase bootstrap-token and upload-config; check admission plugins.',
  ),
  CertificateKeyInvalid: entry(
    'credentials',
    'permanent',
    'The shared certificates cannot be decrypted with the certificate key.',
    'Use the key of the last kubeadm init phase upload-certs --upload-certs.',
  ),
  CertificateSecretMissing: entry(
    'credentials',
    'until-deadline',
    'The Secret with the shared certificates is not in the cluster.',
    'Run kubeadm init phase upload-certs --upload-certs on a control plane; the Secret lives for two hours.',
  ),
  CertificatesMissing: entry(
    'credentials',
    'permanent',
    'A certificate or key that control planes share is not on this machine.',
    'Check that the certificate Secrets of the cluster are complete and that user data writes them.',
  ),
  CertificateInvalid: entry(
    'credentials',
    'permanent',
    'A certificate or key on this machine cannot be used.',
    'Check the certificate Secrets of the cluster: key and certificate must belong together and be signed by the CA given.',
  ),
  KubeletUnhealthy: entry(
    'kubelet',
    'until-deadline',
    'The kubelet does not become healthy.',
    'Read journalctl -u kubelet: an unknown flag, a cgroup driver that differs from the runtime, swap or a missing file are the usual reasons.',
  ),
  KubeletNotStarted: entry(
    'kubelet',
    'permanent',
    'The kubelet cannot be started or configured.',
    'Check that kubelet and its systemd unit with the kubeadm drop-in are in the image.',
  ),
  KubeletCertificateNotIssued: entry(
    'kubelet',
    'until-deadline',
    'The kubelet did not get its client certificate from the cluster in time.',
    'Look at kubectl get csr: approve what is pending, and check kube-controller-manager, which signs it.',
  ),
  ClusterNotInitialised: entry(
    'control plane',
    'until-deadline',
    'The cluster has no kubeadm configuration (yet).',
    'Wait until the first control plane is up, or run kubeadm init phase upload-config all there.',
  ),
  ControlPlaneNotReady: entry(
    'control plane',
    'until-deadline',
    'The control plane on this machine did not come up in time.',
    'Look at crictl ps -a and crictl logs of kube-apiserver and etcd, and at journalctl -u kubelet.',
  ),
  ControlPlaneEndpointMissing: entry(
    'control plane',
    'permanent',
    'The cluster was made without a control plane endpoint, so it cannot have another control plane.',
    'Set controlPlaneEndpoint in the ClusterConfiguration of the cluster.',
  ),
  ControlPlaneConfigInvalid: entry(
    'control plane',
    'permanent',
    'The addresses or settings for the control plane cannot be used on this machine.',
    'Correct localAPIEndpoint, networking or controlPlaneEndpoint in the KubeadmConfig.',
  ),
  EtcdUnhealthy: entry(
    'etcd',
    'transient',
    'The etcd cluster is not healthy or cannot be reached.',
    'Check the etcd members on the other control planes and that ports 2379 and 2380 are open between them.',
  ),
  EtcdMemberNotAdded: entry(
    'etcd',
    'until-deadline',
    'This machine could not become a member of the etcd cluster.',
    'Look at etcdctl member list: remove members of machines that are gone, and wait until every other member has started.',
  ),
  EtcdLearnerNotReady: entry(
    'etcd',
    'until-deadline',
    'The new etcd member has not caught up with the leader.',
    'Check that port 2380 is open in both directions, and the speed of the disk under /var/lib/etcd.',
  ),
  EtcdQuorumAtRisk: entry(
    'etcd',
    'until-deadline',
    'The half-joined etcd member of this machine cannot be removed without costing the etcd cluster its quorum.',
    'Bring the other members back (etcdctl endpoint health --cluster), or leave this machine running until its member has started; do not reset it.',
  ),
  NodeLeftAsItIs: entry(
    'node',
    'permanent',
    'The user data have changed since this machine joined its cluster, and it was not joined again.',
    'Nothing, where the node is as it should be; else replace the machine, or take it back with slipway reset first.',
  ),
  NodeNameInUse: entry(
    'node',
    'until-deadline',
    'A Node of the same name is in the cluster and Ready.',
    'Delete the old Node or give this machine another name; after a machine is gone its Node stays Ready for about 45 seconds.',
  ),
  NodeNameInvalid: entry(
    'node',
    'permanent',
    'The name of this node cannot be used.',
    'Set nodeRegistration.name or the host name to a DNS name in lower case, without underscores.',
  ),
  NodeNotRegistered: entry(
    'node',
    'until-deadline',
    'The kubelet runs but did not register its Node.',
    'Read journalctl -u kubelet: the container runtime, a webhook or the name of the node are the usual reasons.',
  ),
  KubeadmTimedOut: entry(
    'agent',
    'transient',
    'kubeadm gave up waiting without saying for what.',
    'Read the last lines of its output and journalctl -u kubelet.',
  ),
  KubeadmInterrupted: entry(
    'agent',
    'transient',
    'kubeadm was ended before it had finished.',
    'Look for the out-of-memory killer, a shutdown or an operator; Slipway starts it again.',
  ),
} satisfies Record<string, CodeEntry>;
