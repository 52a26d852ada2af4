import { CAPACITY_LABEL, CAPACITY_PREFIX, type GroupKind } from '../../../src/controller/capacity/group.ts';
import { apiVersionOf, type MachineVersion } from '../../../src/controller/machines/machine.ts';

/** A group of Machines that asks for capacity annotations, and has one of them from somebody else already. */
export function groupObject(version: MachineVersion, kind: GroupKind, name: string): object {
  const reference =
    version === 'v1beta2'
      ? { apiGroup: 'infrastructure.cluster.x-k8s.io' }
      : { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
  return {
    apiVersion: apiVersionOf(version),
    kind,
    metadata: {
      ...{ name, namespace: 'default', labels: { [CAPACITY_LABEL]: '' } },
      annotations: { 'example.com/mine': 'stays', [`${CAPACITY_PREFIX}maxPods`]: '50' },
    },
    spec: {
      clusterName: 'demo',
      ...(kind === 'MachinePool' ? {} : { selector: { matchLabels: { a: name } } }),
      template: {
        metadata: { labels: { a: name } },
        spec: {
          clusterName: 'demo',
          bootstrap: { dataSecretName: 'x' },
          infrastructureRef: { ...reference, kind: 'DemoMachineTemplate', name },
        },
      },
    },
  };
}
