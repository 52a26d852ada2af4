/** Filled in by somebody before kubeadm reads it. */
const TEMPLATE = /[{}$]/;

const plain = (name: string): string => name.trim().toLowerCase();

/**
 * The name under which the kubelet registers, where that is another than kubeadm looks for. The kubelet's `hostname-override`
 * decides; kubeadm waits for its own name and never sees the Node.
 *
 * @param name of `nodeRegistration.name`, else of the machine; undefined where nobody knows it
 * @param override The kubelet's argument
 */
export function otherNodeName(name: string | undefined, override: string | undefined): string | undefined {
  if (name === undefined || override === undefined) return undefined;
  if (TEMPLATE.test(name) || TEMPLATE.test(override)) return undefined;
  return plain(name) === plain(override) ? undefined : plain(override);
}
