/** The lines by which a kubelet is followed from its start on, and those with which it refuses a static pod. */

/** systemd's line at the end of a service's main process that was not asked for, or where it did not come so far as to start one. */
export const KUBELET_ENDED =
  /^kubelet\.service: (?:(?:main|control) process exited, code=(\w+), status=(\S+)|Failed to load environment files)/i;

/** kubeadm's sentence from 1.20 to 1.36; what the kubelet did before it was without kubeadm's files and means nothing. */
export const KUBELET_STARTED = /^\[kubelet-start\] Starting the kubelet/;

/** Of the control plane, each after what it needs. */
export const ORDER = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The words of pkg/kubelet/lifecycle/predicate.go: a sentence up to 1.20, fields since then. */
export const REFUSED = new RegExp(
  `Failed to admit pod(?: |, [^"]{1,90}" pod="kube-system/)(${ORDER.join('|')})-[^\\s"_]+(?:_kube-system\\([^\\s)]*\\) - (?:Unexpected error while attempting to recover from admission failure: )?|" err=")(.*)`,
);

/** The static pod that this line of the kubelet's refuses for storage; a moment after its start its Node does not show any. */
export function refusedForStorage(line: string): string | undefined {
  const [, name, why = ''] = REFUSED.exec(line) ?? [];
  return why.includes('(res: ephemeral-storage,') ? name : undefined;
}
