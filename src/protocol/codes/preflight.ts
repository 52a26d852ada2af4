/** Codes for the checks of a machine before kubeadm runs and after it has succeeded. */
import { type CodeEntry, entry, finding } from './entry.ts';

export const preflightCodes = () =>
  ({
    KubeadmConfigFieldUnknown: finding(
      'user data',
      'The kubeadm configuration has a field that kubeadm passes over.',
      'Correct the name of the field, or take it out.',
    ),
    KubeadmConfigNotExpressible: entry(
      'user data',
      'permanent',
      'The API version of the installed kubeadm has no place for a setting of the kubeadm configuration.',
      'Take the setting out, or use an image whose kubeadm has the Kubernetes version of the Machine.',
    ),
    KernelTooOld: entry(
      'preflight',
      'permanent',
      'The kernel is older than Kubernetes supports.',
      'Build the image with a newer kernel.',
    ),
    MachineNotAsExpected: entry(
      'preflight',
      'permanent',
      'The machine is not what the user data says that it is to be (slipway.expect).',
      'Give the Machine the size or hardware that was meant, or correct the expectation; slipway facts shows what is there.',
    ),
    CgroupsUnsuitable: entry(
      'preflight',
      'permanent',
      'The control groups that the kubelet needs are not there.',
      'Enable the controllers named on the kernel command line (cgroup_enable=memory), or boot with control groups version 2.',
    ),
    KernelSettingMended: finding(
      'preflight',
      'A kernel setting or module that Kubernetes needs was not there and has been put right.',
      'You need not do anything; set it in the image so that Slipway need not put it right.',
    ),
    DiskSpaceLow: finding(
      'preflight',
      'A file system that Kubernetes writes to is nearly full.',
      'Give the machine a larger disk; below 10 % the kubelet evicts pods, below 15 % it removes images.',
    ),
    HostNameUnresolved: finding(
      'preflight',
      'The name of this machine cannot be resolved on the machine itself.',
      'Add it to /etc/hosts (manage_etc_hosts in user data), or install nss-myhostname.',
    ),
    NodeIpNotOnMachine: entry(
      'preflight',
      'permanent',
      'The kubelet is told to use an address (node-ip) that no interface of this machine has, so its Node would have no address.',
      'Correct node-ip in kubeletExtraArgs (or in KUBELET_EXTRA_ARGS), or leave it out; a command before kubeadm may add the address. Compare with ip -br address. If the address comes later, name NodeIP in ignorePreflightErrors.',
    ),
    DnsNotConfigured: finding(
      'preflight',
      'This machine has no name server, so pods will have none either.',
      'Check the network configuration (DHCP, resolvectl status); the kubelet hands /etc/resolv.conf on to pods.',
    ),
    NodeNameWrong: entry(
      'node',
      'permanent',
      'The node was registered under another name than its configuration asks for.',
      'Give the name in nodeRegistration.name and leave hostname-override out of kubeletExtraArgs; if a Node was registered, replace the machine.',
    ),
    NodeProviderIdWrong: entry(
      'node',
      'permanent',
      'The Node has another provider ID than its configuration asks for, so Cluster API cannot match it to its Machine.',
      'Delete the Node of that name if it belongs to a machine that is gone; else correct provider-id in kubeletExtraArgs.',
    ),
    ProviderIdMismatch: entry(
      'node',
      'permanent',
      'The Node has another provider ID than its Machine, so Cluster API finds no Node for the Machine.',
      'Compare spec.providerID of both: correct provider-id in kubeletExtraArgs, or what the cloud controller manager or the infrastructure provider sets, and replace the Machine. A provider ID never changes.',
    ),
    NodeAddressWrong: entry(
      'node',
      'until-deadline',
      'The Node has no IP address, or only such as this machine does not have: no logs, no exec and no routes lead to it.',
      'Correct node-ip in kubeletExtraArgs, or what the cloud controller manager sets; kubectl get nodes -o wide and ip -br address show both sides.',
    ),
    NodeNotReady: entry(
      'node',
      'until-deadline',
      'The node is in the cluster, but not Ready yet.',
      'Read the condition given here; a network plugin that is not installed yet is the usual reason.',
    ),
  }) satisfies Record<string, CodeEntry>;
