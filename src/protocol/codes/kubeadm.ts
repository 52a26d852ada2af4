/**
 * Codes for failures of `kubeadm init` and `kubeadm join` on the machine alone: its configuration and what kubeadm looks at before
 * it begins. What comes after that is in discovery.ts and control-plane.ts, all in the order in which kubeadm works.
 *
 * `permanent` is only what the next attempt on the same machine with the same user data is certain to meet
 * again. Where kubeadm's output does not distinguish "never" from "not yet" (somebody may create an unknown
 * token a second later; a runtime that is still starting makes the kubelet unhealthy), the entry says
 * `until-deadline`.
 */
import { tableOf } from './entry.ts';

export const kubeadmCodes = () =>
  tableOf({
    KubeadmConfigInvalid: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The kubeadm configuration is not valid.',
      impact: 'kubeadm refuses to run; Slipway stops at once.',
      fix: 'Correct the place named in the KubeadmConfig (or in the file passed with --config) and replace the machine.',
      check: 'Run kubeadm config validate --config FILE: it reports no error.',
      cure: {
        who: 'template',
        why: "The configuration is generated from the KubeadmConfigTemplate or the control plane's spec.",
      },
    },
    KubeadmConfigNotFound: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The kubeadm configuration file does not exist.',
      impact: 'kubeadm has no configuration to run with; Slipway stops at once.',
      fix: 'Make sure that user data writes the file before kubeadm runs, or correct the path after --config.',
      check:
        'Run slipway plan --user-data FILE: the step that writes the file comes before the kubeadm step.',
      cure: { who: 'template', why: 'The user data of the group has the wrong path or order.' },
    },
    KubeadmConfigVersionUnsupported: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The installed kubeadm does not support the API version of its configuration.',
      impact: 'kubeadm cannot read its configuration; Slipway stops at once.',
      fix: 'Use an image whose kubeadm has the Kubernetes version of the Machine.',
      check:
        'Run kubeadm version -o short on a machine from that image: it prints the version of the Machine.',
      cure: { who: 'template', why: 'The image and the configuration belong to the template.' },
    },
    KubeadmArgumentInvalid: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'kubeadm does not accept its command line.',
      impact: 'kubeadm did nothing; Slipway stops at once.',
      fix: 'Correct the flag named; it may belong to another version of kubeadm.',
      check: 'Run kubeadm join --help (or init): it lists the flag.',
      cure: { who: 'template', why: 'The command line is in the user data of each machine.' },
    },
    KubeadmNotTakenOver: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'A script, a unit or a background command calls kubeadm itself, so Slipway cannot retry the call.',
      impact: 'Slipway waits for the node and explains a failure, but does not retry.',
      fix: 'Call kubeadm in runcmd, on a line of its own with absolute paths, as Cluster API does: kubeadm join --config /FILE && echo success > SENTINEL.',
      check: 'Run slipway plan on the user data: it shows kubeadm as a step of its own.',
      cure: { who: 'template', why: 'The user data of the group decides how kubeadm is called.' },
    },
    NotKnownToMakeANode: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'The user data runs programs that Slipway cannot read, and nothing shows whether they make this machine a node.',
      impact: 'The bootstrap continues, and its success does not prove that a node exists.',
      fix: 'Call kubeadm in runcmd, on a line of its own, so that Slipway runs it. If no node is wanted, set slipway: {kubeadm: none}.',
      check: 'Run kubectl get nodes: it lists the machine if it has joined.',
      cure: { who: 'template', why: 'The programs are in the user data of the group.' },
      onlyFinding: true,
    },
    PreflightFailed: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: "The machine does not pass kubeadm's preflight checks.",
      impact: 'kubeadm has changed nothing; Slipway stops at once.',
      fix: 'Correct what the checks name in the image or in the machine template, and replace the machine.',
      check:
        'Run kubeadm join phase preflight (or init phase preflight) with the same configuration: it prints no [ERROR.',
      cure: { who: 'template', why: 'Image and machine type are the same for each machine.' },
    },
    PortInUse: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'A port that Kubernetes needs is in use.',
      impact: 'The component that needs the port cannot start; Slipway stops at once.',
      fix: 'Find what listens there (ss -ltnp). Stop a program that does not belong there. If it is the kubelet or the control plane of an earlier node that is no longer needed, run kubeadm reset.',
      check: 'Find out again what listens there (ss -ltnp): the port is free.',
      cure: {
        who: 'template',
        why: 'A service in the image is the usual cause; the remains of a node must be examined before such a machine is deleted.',
      },
    },
    LeftoversFound: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'Files of an earlier Kubernetes node are on this machine.',
      impact: 'kubeadm would fail or mix the old node with the new one; Slipway stops at once.',
      fix: 'Build the image without them. If the machine is a node now, leave it as it is. If it was a node that is no longer needed, run kubeadm reset -f before it is bootstrapped.',
      check: 'Run slipway preflight on a machine from the new image: it does not report LeftoversFound.',
      cure: {
        who: 'template',
        why: 'An image made from a node has them on each machine; on a reused machine they may be valuable.',
      },
    },
    ProgramMissing: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'A program that kubeadm needs is not installed.',
      impact: 'kubeadm refuses to continue; Slipway stops at once.',
      fix: 'Install the program named in the image, in a directory of PATH.',
      check: 'Run slipway preflight on a machine from the new image: it does not report ProgramMissing.',
      cure: { who: 'template', why: 'The image is missing it on each machine.' },
    },
    KernelSettingWrong: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'A kernel setting or module that Kubernetes needs is missing.',
      impact: 'Pod networking would not work, so kubeadm refuses to continue; Slipway stops at once.',
      fix: 'Set it in the image: the module in /etc/modules-load.d, the setting in /etc/sysctl.d.',
      check:
        'Run sysctl NAME for a setting, or lsmod for a module, on a new machine: it has the value or is listed.',
      cure: { who: 'template', why: "The image's kernel settings apply to each machine." },
    },
    SwapEnabled: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'Swap is enabled.',
      impact: 'The kubelet would refuse to start; Slipway stops at once.',
      fix: 'Disable it (swapoff -a, and remove it from /etc/fstab), or set failSwapOn: false for the kubelet.',
      check: 'Run swapon --show: it prints nothing.',
      cure: { who: 'template', why: 'The image or the user data enables swap on each machine.' },
    },
    MachineTooSmall: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'The machine has fewer processors or less memory than kubeadm requires.',
      impact: 'kubeadm refuses to run; Slipway stops at once.',
      fix: 'Choose a larger machine type; a control plane needs 2 CPUs and 1700 MB.',
      check: 'Run slipway facts on a new machine: it shows enough processors and memory.',
      cure: { who: 'template', why: 'The machine type is in the machine template.' },
    },
    NotRoot: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'kubeadm does not run as root.',
      impact: 'kubeadm cannot change the system; Slipway stops at once.',
      fix: 'Run it as root.',
      check: 'Run id -u in the same place in the user data: it prints 0.',
      cure: { who: 'template', why: "The user data or the image's units choose the user." },
    },
    VersionSkew: {
      category: 'preflight',
      persistence: 'permanent',
      meaning: 'The versions of kubeadm, kubelet and the control plane are not compatible.',
      impact: 'kubeadm refuses the combination; Slipway stops at once.',
      fix: 'Use an image whose kubeadm and kubelet have the Kubernetes version of the Machine.',
      check: 'Run kubelet --version and kubeadm version -o short: both print the version of the Machine.',
      cure: { who: 'template', why: 'The image sets the versions for each machine of the group.' },
    },
    ContainerRuntimeDown: {
      category: 'runtime',
      persistence: 'transient',
      meaning: 'The container runtime does not answer.',
      impact: 'No container can be started; Slipway retries until its deadline.',
      fix: 'Look at systemctl status containerd and journalctl -u containerd; check nodeRegistration.criSocket.',
      check: 'Run crictl info: it shows RuntimeReady with status true.',
      cure: {
        who: 'this-machine',
        why: 'The runtime often is still starting, and a retry on this machine succeeds.',
      },
    },
    ContainerRuntimeUnsuitable: {
      category: 'runtime',
      persistence: 'permanent',
      meaning: 'The container runtime cannot be used with its current configuration.',
      impact: 'The kubelet cannot start pods; Slipway stops at once.',
      fix: 'Enable its CRI plugin (disabled_plugins in /etc/containerd/config.toml), update it, or select one socket with nodeRegistration.criSocket.',
      check:
        'Run crictl info on a machine from the new image: it prints the configuration of the CRI plugin.',
      cure: { who: 'template', why: 'The runtime and its configuration are in the image.' },
    },
    ImagePullFailed: {
      category: 'image',
      persistence: 'until-deadline',
      meaning: 'A container image could not be pulled.',
      impact: 'The pods that need it do not start; Slipway retries until its deadline.',
      fix: 'Check that the registry is reachable from this machine (DNS, proxy, mirror), or include the image in the machine image.',
      check: 'Run crictl pull IMAGE: it reports that the image is up to date.',
      cure: {
        who: 'cloud',
        why: 'The registry or the network to it fails for each machine, so a replacement does not help.',
      },
    },
    ImageNotFound: {
      category: 'image',
      persistence: 'permanent',
      meaning: 'A container image does not exist in its registry.',
      impact: 'The control plane or the network plugin cannot start; Slipway stops at once.',
      fix: 'Correct imageRepository and kubernetesVersion, or push the image to the registry.',
      check: 'Run kubeadm config images pull --config FILE: it pulls every image.',
      cure: { who: 'template', why: 'The repository and the version are in the template.' },
    },
    ImagePullDenied: {
      category: 'image',
      persistence: 'permanent',
      meaning: 'The registry denies access to a container image.',
      impact: 'The image cannot be pulled without credentials; Slipway stops at once.',
      fix: 'Configure the container runtime with credentials for that registry, or make the image public.',
      check: 'Run crictl pull with the name of the image: it succeeds without --creds.',
      cure: {
        who: 'template',
        why: 'The runtime gets its credentials from the image or the user data.',
      },
    },
  });
