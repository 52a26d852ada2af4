import { ipFamily } from '../../../../kit/ip-family.ts';
import { isValues, valueAt } from '../yaml/config-node.ts';

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

/**
 * The addresses that a `node-ip` asks the machine to have: one, or one of each family with a comma between.
 *
 * `0.0.0.0` and `::` only choose a family. What is no address (a template, a variable that a command fills in) the kubelet
 * passes over, and so does this.
 */
export function requestedNodeIps(argument: string | undefined): string[] {
  return (argument ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ipFamily(part) !== undefined && !/^(?:0\.0\.0\.0|[0:]+)$/.test(part));
}

/**
 * An argument of the kubelet's in a nodeRegistration. kubeletExtraArgs is a map up to v1beta3 and a list of name and value from
 * v1beta4 on.
 *
 * @returns undefined where it is not there, or empty
 */
export function extraArgument(registration: unknown, name: string): string | undefined {
  const extra = valueAt(registration, 'kubeletExtraArgs');
  if (isValues(extra)) return text(valueAt(extra, name));
  if (!Array.isArray(extra)) return undefined;
  return text(
    valueAt(
      extra.findLast((entry) => valueAt(entry, 'name') === name),
      'value',
    ),
  );
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Where kubeadm looks for a container runtime by default. */
export const DEFAULT_SOCKETS = [
  '/run/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/run/cri-dockerd.sock',
] as const;

/**
 * The path of a `criSocket`, which is a URL or a path; kubeadm and the kubelet read the URL, so that `unix:/run/x` is as good as
 * `unix:///run/x`. What is neither comes back as it is.
 */
export function socketPath(criSocket: string): string {
  return criSocket.replace(/^unix:(?:\/\/)?(?=\/)/, '');
}
