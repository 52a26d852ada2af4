/** Codes for what kubeadm makes and waits for in the end: the kubelet, the control plane, its etcd, and the Node. */
import { tableOf } from './entry.ts';

export const controlPlaneCodes = () =>
  tableOf({
    KubeletUnhealthy: {
      category: 'kubelet',
      persistence: 'until-deadline',
      meaning: 'The kubelet does not become healthy.',
      impact: 'The Node is not registered; Slipway retries until its deadline.',
      fix: "Read journalctl -u kubelet: an unknown flag, a cgroup driver that differs from the runtime's, swap or a missing file are the usual causes.",
      check: 'Run curl http://127.0.0.1:10248/healthz on the machine: it prints ok.',
      cure: { who: 'this-machine', why: 'The cause is not known yet, so a retry does the least harm.' },
    },
    KubeletNotStarted: {
      category: 'kubelet',
      persistence: 'permanent',
      meaning: 'The kubelet cannot be started or configured.',
      impact: 'No pod can run on this machine; Slipway stops at once.',
      fix: 'Check that kubelet and its systemd unit with the kubeadm drop-in are in the image.',
      check:
        'Run kubelet --version on a machine from the new image, and bootstrap it: slipway status shows the kubeadm step as done.',
      cure: { who: 'template', why: 'The image provides the kubelet and its service to each machine.' },
    },
    KubeletCertificateNotIssued: {
      category: 'kubelet',
      persistence: 'until-deadline',
      meaning: "The cluster did not issue the kubelet's client certificate in time.",
      impact: 'The kubelet cannot register its Node; Slipway retries until its deadline.',
      fix: "Find this machine's request with kubectl get csr. If it is Pending, find out why nothing approves it (kubeadm init phase bootstrap-token creates the rules for that), and approve it by hand only if it is from this machine. If it is Approved but not Issued, check kube-controller-manager, which signs it.",
      check: 'Run kubectl get csr: the request shows Approved,Issued.',
      cure: { who: 'cluster', why: 'Approval and signing happen in the workload cluster.' },
    },
    ClusterNotInitialised: {
      category: 'control plane',
      persistence: 'until-deadline',
      meaning: 'The cluster has no kubeadm configuration, or does not have it yet.',
      impact: 'The machine waits for the first control plane; Slipway retries until its deadline.',
      fix: 'Wait until the first control plane is up, or run kubeadm init phase upload-config all there.',
      check: 'Run kubectl -n kube-system get configmap kubeadm-config: it lists the ConfigMap.',
      cure: {
        who: 'cluster',
        why: 'The first control plane has to finish; joining machines cannot change that.',
      },
    },
    ControlPlaneNotReady: {
      category: 'control plane',
      persistence: 'until-deadline',
      meaning: 'The control plane on this machine did not become ready in time.',
      impact: 'The cluster or this member of it is not available; Slipway retries until its deadline.',
      fix: 'Check crictl ps -a and crictl logs for kube-apiserver and etcd, and journalctl -u kubelet.',
      check: 'Run curl -k https://127.0.0.1:6443/readyz on the machine: it prints ok.',
      cure: {
        who: 'this-machine',
        why: 'A slow image pull or disk often is the cause, and a retry continues the work.',
      },
    },
    ControlPlaneEndpointSilent: {
      category: 'network',
      persistence: 'until-deadline',
      meaning: 'Nothing answers at the control plane endpoint after an init.',
      impact:
        'Other machines cannot join, although the control plane here may work; Slipway retries until its deadline.',
      fix: 'Check that the load balancer or the virtual address of controlPlaneEndpoint is up and forwards to port 6443 of this machine.',
      check: 'Run curl -k https://ENDPOINT/readyz from another machine: it prints ok.',
      cure: {
        who: 'cluster',
        why: 'The load balancer must be corrected; a new control plane machine would be behind it too.',
      },
    },
    ControlPlaneEndpointMissing: {
      category: 'control plane',
      persistence: 'permanent',
      meaning:
        'The cluster was created without a control plane endpoint, so it cannot have another control plane.',
      impact: 'This control plane cannot join; Slipway stops at once.',
      fix: 'Set controlPlaneEndpoint in the ClusterConfiguration of the cluster.',
      check:
        'Run kubectl -n kube-system get configmap kubeadm-config -o yaml: it shows controlPlaneEndpoint.',
      cure: { who: 'cluster', why: 'The setting is stored in the workload cluster.' },
    },
    ControlPlaneConfigInvalid: {
      category: 'control plane',
      persistence: 'permanent',
      meaning: 'The addresses or settings for the control plane are not valid on this machine.',
      impact: "kubeadm cannot write the control plane's manifests; Slipway stops at once.",
      fix: 'Correct localAPIEndpoint, networking or controlPlaneEndpoint in the KubeadmConfig.',
      check:
        'Run kubeadm config validate --config FILE, and bootstrap again: the control-plane phase ends without an error.',
      cure: { who: 'template', why: 'The settings come from the KubeadmConfig of each control plane.' },
    },
    EtcdUnhealthy: {
      category: 'etcd',
      persistence: 'transient',
      meaning: 'The etcd cluster is unhealthy or cannot be reached.',
      impact: 'No member can be added safely; Slipway retries until its deadline.',
      fix: 'Check the etcd members on the other control planes and that ports 2379 and 2380 are open between them.',
      check: 'Run etcdctl endpoint health --cluster on a control plane: each endpoint is healthy.',
      cure: { who: 'cluster', why: 'The other members must recover first.' },
    },
    EtcdMemberNotAdded: {
      category: 'etcd',
      persistence: 'until-deadline',
      meaning: 'This machine could not be added to the etcd cluster.',
      impact: 'The control plane cannot start here; Slipway retries until its deadline.',
      fix: 'Run etcdctl member list and wait until every member has started; remove one only if its machine no longer exists.',
      check: 'Run etcdctl member list again: it lists this machine as started.',
      cure: { who: 'cluster', why: 'The members that have not started belong to other control planes.' },
    },
    EtcdLearnerNotReady: {
      category: 'etcd',
      persistence: 'until-deadline',
      meaning: 'The new etcd member has not caught up with the leader.',
      impact:
        'It cannot vote yet, so the control plane here is not complete; Slipway retries until its deadline.',
      fix: 'Check that port 2380 is open in both directions, and the speed of the disk under /var/lib/etcd.',
      check: 'Run etcdctl member list -w table: IS LEARNER is false for this machine.',
      cure: {
        who: 'cluster',
        why: 'The traffic between the members has to be made fast enough; replacing a member risks the quorum.',
      },
    },
    EtcdQuorumAtRisk: {
      category: 'etcd',
      persistence: 'until-deadline',
      meaning:
        'The half-joined etcd member of this machine cannot be removed without costing the etcd cluster its quorum.',
      impact: 'Slipway leaves the member in place and retries until its deadline.',
      fix: 'Restore the other members (etcdctl endpoint health --cluster), or leave this machine running until its member has started; do not reset it.',
      check: 'Run etcdctl endpoint status --cluster: a majority of the members answers.',
      cure: {
        who: 'cluster',
        why: 'Only the recovery of other members makes removal safe; deleting this machine could stop the cluster.',
      },
    },
    NodeLeftAsItIs: {
      category: 'node',
      persistence: 'permanent',
      meaning: 'The user data has changed since this machine joined its cluster, or can no longer be read.',
      impact: 'The changes were not applied; the node continues to work as before.',
      fix: 'No action is needed if the node is as it should be. Otherwise run slipway plan --again to see the changes, and slipway bootstrap --again to apply those that are safe on a node; for the others replace the machine, or run slipway reset first.',
      check: 'Run slipway plan --again: it lists no change.',
      cure: { who: 'this-machine', why: 'The node works, so nothing has to be replaced.' },
      onlyFinding: true,
    },
    NodeNameInUse: {
      category: 'node',
      persistence: 'until-deadline',
      meaning: 'A Node with the same name exists in the cluster and is Ready.',
      impact:
        'The machine does not join, so that it cannot take over another node; Slipway retries until its deadline.',
      fix: 'Find out whose Node it is (kubectl get nodes -o wide). If another machine uses it, give this machine another name. If that machine no longer exists, wait: its Node stays Ready for about 45 seconds and may be deleted after that.',
      check: 'Run kubectl get node NAME: it is not found, or belongs to this machine.',
      cure: {
        who: 'cluster',
        why: 'An operator must find out whose Node it is; the Node of a deleted machine goes away without a replacement.',
      },
    },
    NodeNameInvalid: {
      category: 'node',
      persistence: 'permanent',
      meaning: 'The node name is not valid.',
      impact: 'The API server would reject the Node; Slipway stops at once.',
      fix: 'Set nodeRegistration.name or the hostname to a DNS name in lower case, without underscores.',
      check: 'Run hostname on a new machine: it prints a valid name in lower case.',
      cure: {
        who: 'template',
        why: 'The template or the naming scheme of the infrastructure produces such names for each machine.',
      },
    },
    NodeNotRegistered: {
      category: 'node',
      persistence: 'until-deadline',
      meaning: 'The kubelet runs but did not register its Node.',
      impact: 'The machine does not appear in the cluster; Slipway retries until its deadline.',
      fix: 'Read journalctl -u kubelet: the container runtime, an admission webhook or the node name is the usual cause.',
      check: 'Run kubectl get node with the name of the machine: it is listed.',
      cure: { who: 'this-machine', why: 'The cause is not known yet, and the kubelet itself tries again.' },
    },
    KubeadmTimedOut: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'kubeadm timed out and did not report what it was waiting for.',
      impact: 'The join or init is incomplete; Slipway retries until its deadline.',
      fix: 'Read the last lines of its output and journalctl -u kubelet.',
      check: 'Run slipway status --wait: the kubeadm step ends as done.',
      cure: {
        who: 'this-machine',
        why: 'A retry continues on this machine, and a timeout does not show that the machine is bad.',
      },
    },
    KubeadmInterrupted: {
      category: 'agent',
      persistence: 'transient',
      meaning: 'kubeadm was terminated before it had finished.',
      impact: 'The join or init is incomplete; Slipway starts kubeadm again.',
      fix: 'Look for the out-of-memory killer, a shutdown or an operator.',
      check: 'Run slipway status --wait: kubeadm is shown as done, not as interrupted.',
      cure: { who: 'this-machine', why: 'Another run of kubeadm on this machine is enough.' },
    },
  });
