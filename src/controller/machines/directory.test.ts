import { describe, expect, it } from 'vitest';
import type { Claim } from '../attest/attestor.ts';
import { Refused } from '../attest/refused.ts';
import { MachineDirectory } from './directory.ts';
import { type MachineObject, readMachine } from './machine.ts';

function machine(
  name: string,
  more: { labels?: Record<string, string>; cluster?: string; namespace?: string } & Partial<
    MachineObject['spec']
  > = {},
) {
  const { labels = {}, cluster = 'a', namespace = 'ns', ...spec } = more;
  const owner = { apiVersion: 'x', kind: 'KubeadmControlPlane', name: 'cp', uid: 'o', controller: true };
  return readMachine(
    {
      metadata: { namespace, name, uid: `uid of ${namespace}/${name}`, labels, ownerReferences: [owner] },
      spec: { clusterName: cluster, ...spec },
    },
    'v1beta2',
  );
}

const pool: Claim = { method: 'pool-token', namespace: 'ns' };
const CONTROL_PLANE = { 'cluster.x-k8s.io/control-plane': '' };
const WORKER = { 'cluster.x-k8s.io/deployment-name': 'workers', 'cluster.x-k8s.io/set-name': 'workers-x' };

function directory(...machines: ReturnType<typeof machine>[]): MachineDirectory {
  const made = new MachineDirectory();
  for (const one of machines) made.put(one);
  return made;
}

describe('a provider ID', () => {
  const twins = directory(
    machine('genuine', { providerID: 'p:///1' }),
    machine('twin', { providerID: 'p:///1', namespace: 'elsewhere' }),
    machine('of-b', { providerID: 'p:///2' }),
    machine('of-c', { providerID: 'p:///2', cluster: 'c' }),
  );
  const found = (claim: Claim, providerID: string) =>
    twins.find(claim, { instance: 'i', hostname: 'x', providerID })?.tie.name;

  it('is looked up in the namespace of the token', () => {
    expect(found(pool, 'p:///1')).toBe('genuine');
    expect(found({ ...pool, namespace: 'elsewhere' }, 'p:///1')).toBe('twin');
  });

  it('is of the cluster of the token, and of nobody where two clusters have it', () => {
    expect(found({ ...pool, selector: { cluster: 'c' } }, 'p:///2')).toBe('of-c');
    expect(found(pool, 'p:///2')).toBeUndefined();
  });

  it('stays that of one when the other goes', () => {
    const left = directory(
      machine('one', { providerID: 'p' }),
      machine('two', { providerID: 'p', cluster: 'c' }),
    );
    left.remove('ns/two');
    expect(left.match(pool, { hostname: 'x', providerID: 'p' })?.machine.name).toBe('one');
    left.remove('ns/one');
    expect(left.match(pool, { hostname: 'x', providerID: 'p' })).toBeUndefined();
  });
});

describe("a pool's token", () => {
  const known = directory(
    machine('cp', { labels: CONTROL_PLANE }),
    machine('worker', { labels: WORKER }),
    machine('demands', { labels: { 'slipway.dev/machine-token': '' } }),
  );
  const refusal = (hostname: string, selector = {}): string => {
    try {
      return known.find({ ...pool, selector }, { instance: 'i', hostname })?.tie.by ?? 'untied';
    } catch (error) {
      if (error instanceof Refused) return error.message;
      throw error;
    }
  };

  it('ties what its selector admits and nothing else', () => {
    expect(refusal('worker', { role: 'worker', cluster: 'a', owner: 'MachineDeployment/workers' })).toBe(
      'name',
    );
    expect(refusal('worker', { owner: 'MachineSet/workers-x' })).toBe('name');
    expect(refusal('cp', { owner: 'KubeadmControlPlane/cp', role: 'control-plane' })).toBe('name');
    expect(refusal('cp', { role: 'worker' })).toMatch(/is not what the token is for: role=worker/);
    for (const selector of [
      { cluster: 'b' },
      { owner: 'MachineDeployment/other' },
      { role: 'control-plane' as const },
    ]) {
      expect(refusal('worker', selector)).toMatch(/is not what the token is for/);
    }
  });

  it('claims no Machine that has a token of its own', () => {
    expect(refusal('demands')).toMatch(/takes its own token only/);
    const own = { ...pool, machineUid: 'uid of ns/demands' };
    expect(known.find(own, { instance: 'i', hostname: 'x' })?.tie.by).toBe('token');
  });
});

it('gives no other certificate to a node whose Machine is gone, is going, or wants proof now', () => {
  const made = directory(machine('m'));
  const spec = {
    ...{ instance: 'i', hostname: 'm', keyDigest: 'd', enrolment: { method: 'pool-token', at: '' } },
    machine: { name: 'm', uid: 'uid of ns/m', by: 'name' as const },
  };
  expect([made.objection(spec), made.isGone(spec)]).toEqual([undefined, false]);
  made.put({ ...machine('m'), deleting: true });
  expect(made.objection(spec)).toMatch(/being deleted/);
  made.put(machine('m', { labels: { 'slipway.dev/machine-token': '' } }));
  expect(made.objection(spec)).toMatch(/its own token only/);
  made.remove('ns/m');
  expect([made.objection(spec), made.isGone(spec)]).toEqual(['Machine m is gone', true]);
});
