import { describe, expect, test } from 'vitest';
import { capacityFromFacts, expectedCapacity } from './expected-capacity.ts';
import { CAPACITY_PREFIX, type GroupObject, readGroup } from './group.ts';

const machine = (capacity: string, labels = '', taints = '') => {
  const brought = capacityFromFacts({ capacity, 'capacity-labels': labels, 'capacity-taints': taints });
  if (brought === undefined) throw new Error('no capacity');
  return brought;
};
const short = (...machines: ReturnType<typeof machine>[]) => {
  const { annotations, differences } = expectedCapacity(machines);
  return {
    marks: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [key.slice(CAPACITY_PREFIX.length), value]),
    ),
    differences,
  };
};

describe('what the next machine will bring', () => {
  test('is the least of what the last ones brought, by value and not by text', () => {
    const { marks, differences } = short(
      machine('cpu=8 memory=16Gi maxPods=110'),
      machine('cpu=4000m memory=16000000Ki maxPods=30'),
    );
    expect(marks).toEqual({ cpu: '4000m', memory: '16000000Ki', maxPods: '30' });
    expect(differences).toEqual([
      'cpu is 4000m to 8',
      'memory is 16000000Ki to 16Gi',
      'maxPods is 30 to 110',
    ]);
  });

  test('machines of one kind are alike, though kernels keep some memory', () => {
    expect(short(machine('cpu=8 memory=16393240Ki'), machine('cpu=8 memory=16390000Ki'))).toEqual({
      marks: { cpu: '8', memory: '16390000Ki' },
      differences: [],
    });
  });

  test('has GPUs where all have them, of one kind', () => {
    const gpus = (count: number, type = 'nvidia.com/gpu') =>
      machine(`cpu=1 gpu-count=${count} gpu-type=${type}`);
    expect(short(gpus(2), gpus(1))).toEqual({
      marks: { cpu: '1', 'gpu-count': '1', 'gpu-type': 'nvidia.com/gpu' },
      differences: ['GPUs are 1 to 2'],
    });
    expect(short(gpus(2), machine('cpu=1')).marks).toEqual({ cpu: '1' });
    expect(short(gpus(2), gpus(2, 'amd.com/gpu'))).toMatchObject({
      marks: { cpu: '1' },
      differences: ['not all have the same GPUs'],
    });
  });

  test('has labels that all have, and taints that any has', () => {
    const { marks } = short(
      machine('cpu=1', 'a=1,b=2', 'x=y:NoSchedule'),
      machine('cpu=1', 'b=2,c=3', 'z:NoExecute'),
    );
    expect(marks).toEqual({ cpu: '1', labels: 'b=2', taints: 'x=y:NoSchedule,z:NoExecute' });
  });

  test('is not what a hostile machine makes of it', () => {
    const { marks } = short(
      machine(
        'cpu=1e9 memory=-1 maxPods=9999999999',
        'a=1=2,../x=1,ok=1, =,b=<script>',
        'a:Whenever,b=c,d=e:NoSchedule:x,a..b/c:NoExecute',
      ),
    );
    expect(marks).toEqual({ labels: 'ok=1' });
    expect(capacityFromFacts({ vendor: 'x' })).toBeUndefined();
  });
});

test('tells its own annotations from those of others by their owners', () => {
  const fields = (...names: string[]) => ({
    'f:metadata': {
      'f:annotations': Object.fromEntries(names.map((name) => [`f:${CAPACITY_PREFIX}${name}`, {}])),
    },
  });
  const names = ['cpu', 'memory', 'maxPods', 'labels'];
  const object: GroupObject = {
    metadata: {
      name: 'workers',
      namespace: 'ns',
      annotations: Object.fromEntries(names.map((name) => [CAPACITY_PREFIX + name, '1'])),
      managedFields: [
        { manager: 'slipway-controller-capacity', operation: 'Apply', fieldsV1: fields('cpu', 'memory') },
        { manager: 'kubectl', operation: 'Update', fieldsV1: fields('memory', 'maxPods') },
        { manager: 'slipway-controller', operation: 'Update', fieldsV1: fields('labels') },
      ],
    },
  };
  const { own, foreign } = readGroup(object, 'MachineDeployment', 'v1beta2');
  expect(own).toEqual({ [`${CAPACITY_PREFIX}cpu`]: '1' });
  expect([...foreign].sort()).toEqual(
    ['labels', 'maxPods', 'memory'].map((name) => CAPACITY_PREFIX + name).sort(),
  );
});
