/** Static pods that the kubelet refuses. */

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
