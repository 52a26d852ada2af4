/**
 * Codes for why the kubelet, the container runtime or a static pod does not run, taken from their logs.
 * kubeadm's own output says only that it waited in vain.
 */
import { tableOf } from './entry.ts';

export const kubeletCodes = () =>
  tableOf({
    KubeletBadFlag: {
      category: 'kubelet',
      persistence: 'permanent',
      meaning: 'The kubelet does not accept one of its command line flags.',
      impact: 'The kubelet exits at each start; Slipway stops at once.',
      fix: 'Remove the flag named from kubeletExtraArgs, KUBELET_EXTRA_ARGS or the systemd drop-in, or correct its value; it may belong to another version of the kubelet.',
      check: 'Run kubelet --help on the machine: it lists the flag, or the flag is no longer used.',
      cure: { who: 'template', why: 'The flag comes from the template or the image.' },
    },
    KubeletConfigInvalid: {
      category: 'kubelet',
      persistence: 'permanent',
      meaning: 'The kubelet does not accept its configuration file.',
      impact: 'The kubelet exits while it reads the file; Slipway stops at once.',
      fix: "Correct the field named in the cluster's KubeletConfiguration (ConfigMap kubelet-config), in the patch, or in the drop-in directory.",
      check: 'Bootstrap a machine again: the kubelet answers ok at http://127.0.0.1:10248/healthz.',
      cure: {
        who: 'template',
        why: 'Each machine of the group gets the same configuration and patches, so replacements fail too.',
      },
    },
    KubeletFileMissing: {
      category: 'kubelet',
      persistence: 'permanent',
      meaning: 'The kubelet needs a file that does not exist or that it is not permitted to read.',
      impact: 'The kubelet cannot start; Slipway stops at once.',
      fix: 'Add the file named to the image or the user data, or correct the path in the KubeletConfiguration.',
      check: 'List the path named on a new machine: the file exists and is readable.',
      cure: { who: 'template', why: 'The image and the user data provide such files to each machine.' },
    },
    CgroupDriverMismatch: {
      category: 'kubelet',
      persistence: 'permanent',
      meaning: 'The kubelet and the container runtime use different cgroup drivers.',
      impact: 'Pods do not start or are killed; Slipway stops at once.',
      fix: 'Set SystemdCgroup = true for runc in /etc/containerd/config.toml and cgroupDriver: systemd for the kubelet.',
      check:
        'Compare SystemdCgroup in containerd config dump with cgroupDriver in /var/lib/kubelet/config.yaml: both name systemd.',
      cure: {
        who: 'template',
        why: 'The image has one setting and the cluster the other, for each machine.',
      },
    },
    KubeletCrashing: {
      category: 'kubelet',
      persistence: 'until-deadline',
      meaning: 'The kubelet repeatedly starts and exits.',
      impact: 'The node cannot register or stay ready; Slipway retries until its deadline.',
      fix: 'Read its log line shown here, and journalctl -u kubelet.',
      check: 'Run slipway diagnose on the machine: it does not report KubeletCrashing.',
      cure: {
        who: 'this-machine',
        why: 'The log does not prove what is wrong, so a retry does the least harm.',
      },
    },
    OutOfMemory: {
      category: 'node',
      persistence: 'until-deadline',
      meaning: 'The kernel killed a process because the machine ran out of memory.',
      impact:
        'The process that was killed may be the kubelet or the control plane; Slipway retries until its deadline.',
      fix: 'Choose a larger machine type, or run fewer programs besides Kubernetes.',
      check:
        'Look for new out-of-memory messages after the next boot with slipway diagnose: it does not report OutOfMemory.',
      cure: {
        who: 'template',
        why: 'The machine type and the programs in the image are the same for each machine.',
      },
    },
    ContainerNotStarted: {
      category: 'runtime',
      persistence: 'until-deadline',
      meaning: 'The container runtime cannot start a container.',
      impact: 'Static pods or the network plugin do not run; Slipway retries until its deadline.',
      fix: "Read the runtime's reason shown here; check runc, the CNI plugins, seccomp and AppArmor in the image.",
      check: 'Run crictl ps: it lists the container as Running.',
      cure: { who: 'template', why: 'The runtime and its plugins are in the image.' },
    },
    ControlPlaneBadFlag: {
      category: 'control plane',
      persistence: 'permanent',
      meaning: 'A control plane component does not accept a flag or setting.',
      impact: 'The component exits at each start, so the control plane stays down; Slipway stops at once.',
      fix: 'Correct extraArgs of the component named in the ClusterConfiguration; the flag may belong to another version of Kubernetes.',
      check: 'Run crictl ps --name COMPONENT: the container is Running and its age grows.',
      cure: {
        who: 'template',
        why: 'The arguments come from the spec of the control plane and reach each of its machines.',
      },
    },
    ControlPlaneCrashing: {
      category: 'control plane',
      persistence: 'until-deadline',
      meaning: 'A control plane component repeatedly starts and exits.',
      impact: 'The API server on this machine is not available; Slipway retries until its deadline.',
      fix: 'Read its log line shown here, and crictl logs for the container named.',
      check: 'Run crictl ps twice, a minute apart: the ATTEMPT of the container does not grow.',
      cure: {
        who: 'this-machine',
        why: 'The log does not prove whether machine, template or cluster is at fault, and a member must not be deleted on a guess.',
      },
    },
    EtcdCrashing: {
      category: 'etcd',
      persistence: 'until-deadline',
      meaning: 'etcd on this machine repeatedly starts and exits.',
      impact: 'The control plane on this machine has no storage; Slipway retries until its deadline.',
      fix: 'Read its log line shown here, and crictl logs for the container etcd.',
      check: 'Run crictl ps --name etcd twice, a minute apart: its ATTEMPT stays the same.',
      cure: { who: 'this-machine', why: 'Replacing a member on a guess risks the quorum or its data.' },
    },
    EtcdDataUnusable: {
      category: 'etcd',
      persistence: 'permanent',
      meaning: 'The data directory of etcd belongs to another cluster or member, or is damaged.',
      impact: 'etcd cannot start with this data; Slipway deletes nothing and stops at once.',
      fix: "If the cluster has other healthy control planes, replace this machine and remove its own member (etcdctl member list). If it has none, keep /var/lib/etcd, which may be the only copy of the cluster's data, and restore a snapshot (etcdutl snapshot restore).",
      check: 'Run etcdctl endpoint health --cluster: all members are healthy.',
      cure: {
        who: 'cluster',
        why: 'A replacement would delete what may be the last copy of the data, so an operator must decide.',
      },
    },
    TokenExpired: {
      category: 'discovery',
      persistence: 'permanent',
      meaning: 'The bootstrap token was known to the cluster earlier and has expired or been deleted.',
      impact: 'This machine can no longer join; Slipway stops at once.',
      fix: "Have Cluster API generate new bootstrap data (replace the machine); extend the token's TTL if machines need longer to boot.",
      check: 'Run kubeadm token list: it lists the token of the new machine with EXPIRES in the future.',
      cure: {
        who: 'another-machine',
        why: 'A replacement gets a new token, while the token of this machine stays expired.',
      },
    },
    CoreDnsLoop: {
      category: 'node',
      persistence: 'permanent',
      meaning: 'CoreDNS exits because its forwarded queries come back to it.',
      impact: 'DNS in the cluster does not work; Slipway does not change the resolver.',
      fix: 'Point resolvConf in the KubeletConfiguration at a file that lists real servers (with systemd-resolved /run/systemd/resolve/resolv.conf), restart the kubelet and delete the CoreDNS pods. The resolv.conf that they get now names a resolver on the machine itself.',
      check: 'Run kubectl -n kube-system get pods -l k8s-app=kube-dns: the pods are Running and ready.',
      cure: { who: 'template', why: 'The resolver setup of the image is the same on each machine.' },
    },
  });
