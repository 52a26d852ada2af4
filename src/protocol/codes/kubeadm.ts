/**
 * Codes for failures of `kubeadm init` and `kubeadm join` on the machine alone: its configuration and what kubeadm looks at before
 * it begins. What comes after that is in discovery.ts and control-plane.ts, all in the order in which kubeadm works.
 *
 * `permanent` is only what the next attempt on the same machine with the same user data is certain to meet
 * again. Where kubeadm's output does not distinguish "never" from "not yet" (somebody may create an unknown
 * token a second later; a runtime that is still starting makes the kubelet unhealthy), the entry says
 * `until-deadline`.
 */
import { type CodeEntry, entry, finding } from './entry.ts';

export const kubeadmCodes = () =>
  ({
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
      'A script, a unit or a command in the background calls kubeadm itself. Slipway waits for the node and explains a failure, but does not retry the call.',
      'Call kubeadm in runcmd, on a line of its own with absolute paths, as Cluster API does: kubeadm join --config /FILE && echo success > SENTINEL.',
    ),
    NotKnownToMakeANode: finding(
      'user data',
      'The user data runs programs that Slipway cannot read, and nothing shows whether they make this machine a node.',
      'Call kubeadm in runcmd, on a line of its own, so that Slipway runs it. Where no node is wanted, say slipway: {kubeadm: none}. To check: kubectl get nodes lists a machine that has joined.',
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
      'Find what listens there (ss -ltnp). Stop a program that does not belong there; if it is the kubelet or the control plane of an earlier node that nobody needs any more, run kubeadm reset.',
    ),
    LeftoversFound: entry(
      'preflight',
      'permanent',
      'Files of an earlier Kubernetes node are on this machine.',
      'Build the image without them. If the machine is a node now, leave it as it is; if it was one that nobody needs any more, run kubeadm reset -f before it is bootstrapped.',
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
  }) satisfies Record<string, CodeEntry>;
