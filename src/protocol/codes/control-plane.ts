/** Codes for what kubeadm makes and waits for in the end: the kubelet, the control plane, its etcd, and the Node. */
import { type CodeEntry, entry, finding } from './entry.ts';

export const controlPlaneCodes = () =>
  ({
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
      'Look at kubectl get csr for the request of this machine. If it is Pending, see why nothing approves it (kubeadm init phase bootstrap-token makes the rules for that), and approve it by hand only if it is from this machine. If it is Approved and not Issued, check kube-controller-manager, which signs it.',
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
    ControlPlaneEndpointSilent: entry(
      'network',
      'until-deadline',
      'Nobody answers at the control plane endpoint after an init.',
      'Look whether the load balancer or the virtual address behind controlPlaneEndpoint is up and leads to port 6443 of this machine; other machines join by it.',
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
      'Look at etcdctl member list and wait until every member has started; remove one only if its machine is gone for good.',
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
    NodeLeftAsItIs: finding(
      'node',
      'The user data has changed since this machine joined its cluster, or can no longer be read. The changes were not applied.',
      'Nothing, where the node is as it should be. slipway plan --again shows what has changed, and slipway bootstrap --again does what may be done on a node; for all else replace the machine, or take it back with slipway reset first.',
    ),
    NodeNameInUse: entry(
      'node',
      'until-deadline',
      'A Node of the same name is in the cluster and Ready.',
      'See whose Node it is (kubectl get nodes -o wide). If another machine runs as it, give this one another name. If that machine is gone, wait: its Node stays Ready for about 45 seconds, and may be deleted after that.',
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
  }) satisfies Record<string, CodeEntry>;
