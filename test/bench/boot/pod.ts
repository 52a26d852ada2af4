import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import type { ControlPlane } from '../../lab/lab.ts';

const name = (node: string): string => `on-${node}`;

/**
 * Makes a pod for a Node that is still to come; nobody has to schedule it. Its image lies on every machine.
 *
 * @returns its name
 */
export async function podFor(controlPlane: ControlPlane, node: string): Promise<string> {
  const { images } = await kubernetesRelease();
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: name(node) } },
    spec: {
      ...{ nodeName: node, hostNetwork: true, automountServiceAccountToken: false },
      ...{ tolerations: [{ operator: 'Exists' }], terminationGracePeriodSeconds: 0 },
      containers: [{ name: 'pause', image: images.pause, imagePullPolicy: 'IfNotPresent' }],
    },
  };
  await controlPlane.kubectl(['create', '--filename=-'], { input: JSON.stringify(pod) });
  return name(node);
}

/** Its machine is gone, so nobody answers for it. */
export async function forgetNode(controlPlane: ControlPlane, node: string): Promise<void> {
  await controlPlane.kubectl(['delete', 'pod', name(node), '--force', '--ignore-not-found']);
  await controlPlane.kubectl(['delete', 'node', node]);
}
