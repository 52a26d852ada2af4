/**
 * Codes for why the kubelet, the container runtime or a static pod does not run, taken from their logs.
 * kubeadm's own output says only that it waited in vain.
 */
import { type CodeEntry, entry } from './entry.ts';

export const kubeletCodes = () =>
  ({
    KubeletBadFlag: entry(
      'kubelet',
      'permanent',
      'The kubelet does not accept a flag of its command line.',
      'Take the flag named out of kubeletExtraArgs, KUBELET_EXTRA_ARGS or the systemd drop-in, or correct its value; it may belong to another version of the kubelet.',
    ),
    KubeletConfigInvalid: entry(
      'kubelet',
      'permanent',
      'The kubelet does not accept its configuration file.',
      'Correct the field named in the KubeletConfiguration of the cluster (ConfigMap kubelet-config), in the patch, or in the drop-in directory.',
    ),
    KubeletFileMissing: entry(
      'kubelet',
      'permanent',
      'The kubelet needs a file that is not there or that it may not read.',
      'Put the file named into the image or the user data, or correct the path in the KubeletConfiguration.',
    ),
    CgroupDriverMismatch: entry(
      'kubelet',
      'permanent',
      'The kubelet and the container runtime use different cgroup drivers.',
      'Set SystemdCgroup = true for runc in /etc/containerd/config.toml and cgroupDriver: systemd for the kubelet.',
    ),
    KubeletCrashing: entry(
      'kubelet',
      'until-deadline',
      'The kubelet starts and ends again and again.',
      'Read the line of its log given here, and journalctl -u kubelet.',
    ),
    OutOfMemory: entry(
      'node',
      'until-deadline',
      'The kernel ended a process because the machine had no memory left.',
      'Choose a larger machine type, or start less beside Kubernetes.',
    ),
    ContainerNotStarted: entry(
      'runtime',
      'until-deadline',
      'The container runtime cannot start a container.',
      'Read the reason of the runtime given here; check runc, the CNI plugins, seccomp and AppArmor in the image.',
    ),
    ControlPlaneBadFlag: entry(
      'control plane',
      'permanent',
      'A component of the control plane does not accept a flag or setting.',
      'Correct extraArgs of the component named in the ClusterConfiguration; the flag may belong to another version of Kubernetes.',
    ),
    ControlPlaneCrashing: entry(
      'control plane',
      'until-deadline',
      'A component of the control plane starts and ends again and again.',
      'Read the line of its log given here, and crictl logs of the container named.',
    ),
    EtcdCrashing: entry(
      'etcd',
      'until-deadline',
      'The etcd of this machine starts and ends again and again.',
      'Read the line of its log given here, and crictl logs of the container etcd.',
    ),
    EtcdDataUnusable: entry(
      'etcd',
      'permanent',
      'The data directory of etcd belongs to another cluster or member, or is damaged.',
      'Where the cluster has other control planes that are healthy, replace this machine, and remove its own member (etcdctl member list). Where it has none, keep /var/lib/etcd, which may be all that is left of the cluster, and restore a snapshot (etcdutl snapshot restore).',
    ),
    TokenExpired: entry(
      'discovery',
      'permanent',
      'The bootstrap token was known to the cluster before and has expired or been deleted.',
      'Let Cluster API make new bootstrap data (replace the machine); raise the token time to live if machines need longer to boot.',
    ),
    CoreDnsLoop: entry(
      'node',
      'permanent',
      'CoreDNS ends because what it asks comes back to it.',
      'Point resolvConf of the KubeletConfiguration at a file that names real servers (with systemd-resolved /run/systemd/resolve/resolv.conf), restart the kubelet and delete the CoreDNS pods; the resolv.conf that they get names a resolver of the machine itself.',
    ),
  }) satisfies Record<string, CodeEntry>;
