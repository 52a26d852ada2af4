import { describe, expect, it } from 'vitest';
import type { Claim } from '../attest/attestor.ts';
import { Refused } from '../attest/refused.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { readPolicy } from '../policy/identity-policy.ts';
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

it('would produce the same certificate to a node whose Machine is gone, is going, or wants proof now', () => {
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

describe('a TPM that no Machine names', () => {
  const KEY = `sha256:${'b'.repeat(64)}`;
  const firstUse = (name: string, isAllowed = true) =>
    readPolicy({
      metadata: { namespace: 'ns', name },
      spec: { method: 'tpm', endorsementKeys: { firstUse: isAllowed } },
    });
  const claiming = (made: MachineDirectory, hostname = 'a') => made.byTpm(KEY, { instance: 'i', hostname });

  it('is the Machine that it says it is, where its policies take the first that comes', () => {
    const made = directory(machine('a'));
    expect(claiming(made)).toBeUndefined();
    made.policies.put(firstUse('p'));
    expect(claiming(made)).toEqual({ namespace: 'ns', uid: 'uid of ns/a', byFirstUse: true });
    // The strictest of the policies counts.
    made.policies.put(firstUse('q', false));
    expect(claiming(made)).toBeUndefined();
  });

  it('is no Machine of another namespace, nor one that names a TPM', () => {
    const made = directory(machine('b', { namespace: 'elsewhere' }));
    made.policies.put(firstUse('p'));
    expect(claiming(made, 'b')).toBeUndefined();
    made.put({ ...machine('a'), endorsementKey: `sha256:${'c'.repeat(64)}` });
    expect(claiming(made)).toBeUndefined();
  });

  it('proves a TPM where a policy lists it or has authorities, and else no more than a first use', () => {
    const made = directory(machine('a'));
    const how = (endorsementKeys: object) => {
      made.policies.put(
        readPolicy({
          metadata: { namespace: 'ns', name: 'p' },
          spec: { method: 'tpm', endorsementKeys: { firstUse: true, ...endorsementKeys } },
        }),
      );
      const claim = { ...pool, machineUid: 'uid of ns/a', endorsementKey: KEY, byFirstUse: true };
      return made.find(claim, { instance: 'i', hostname: 'a' })?.tie.by;
    };
    expect([{}, { trusted: [KEY] }, { authorities: 'PEM' }].map(how)).toEqual(['firstUse', 'tpm', 'tpm']);
  });

  it('has to prove itself for each certificate, and gets none where no policy takes a first use any more', () => {
    const made = directory(machine('a'));
    const spec = {
      ...{ instance: 'i', hostname: 'a', keyDigest: 'd' },
      enrolment: { method: 'first-use', at: '', endorsementKey: KEY },
      machine: { name: 'a', uid: 'uid of ns/a', by: 'firstUse' as const },
    };
    made.policies.put(firstUse('p'));
    expect([made.objection(spec), made.wantsProof(spec)]).toEqual([undefined, true]);
    made.policies.put(firstUse('p', false));
    expect(made.objection(spec)).toMatch(/whose key is named, listed or certified, as policy p demands/);
    // By now it is named.
    made.put({ ...machine('a'), endorsementKey: KEY });
    expect(made.objection(spec)).toBeUndefined();
    made.put({ ...machine('a'), endorsementKey: `sha256:${'c'.repeat(64)}` });
    expect(made.objection(spec)).toMatch(/only the machine with the TPM/);
  });

  it('stays the first one that it was, whatever it says', () => {
    const made = directory(machine('a'), machine('b'));
    made.policies.put(firstUse('p'));
    made.proved({
      ...{ namespace: 'ns', name: 'a' },
      spec: {
        ...{ instance: 'i', machine: { by: 'tpm', name: 'a', uid: 'uid of ns/a' } },
        enrolment: { method: 'tpm', endorsementKey: KEY, at: 'now' },
      },
    } as unknown as NodeRecord);
    expect(claiming(made, 'b')?.uid).toBe('uid of ns/a');
  });
});

describe('a TPM that two Machines name', () => {
  const KEY = `sha256:${'a'.repeat(64)}`;
  const named = (name: string, namespace = 'ns') =>
    readMachine(
      {
        metadata: {
          ...{ namespace, name, uid: `uid of ${namespace}/${name}` },
          annotations: { 'slipway.dev/endorsement-key': KEY },
        },
        spec: { clusterName: 'a' },
      },
      'v1beta2',
    );
  const provedAs = (made: MachineDirectory, name: string, by = 'tpm') =>
    made.proved({
      ...{ namespace: 'ns', name },
      spec: {
        ...{ instance: 'i', machine: { by, name, uid: `uid of ns/${name}` } },
        enrolment: { method: 'tpm', endorsementKey: KEY, at: 'now' },
      },
    } as unknown as NodeRecord);
  const found = (made: MachineDirectory, instance = 'i') => made.byTpm(KEY, { instance, hostname: 'x' })?.uid;

  it('is nobody before it has proved itself', () => {
    expect(found(directory(named('a')))).toBe('uid of ns/a');
    expect(() => found(directory(named('a'), named('b', 'elsewhere')))).toThrow(
      `${KEY} is nobody's, because several Machines name it: ns/a, elsewhere/b`,
    );
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => named(name));
    expect(() => found(directory(...many))).toThrow(/ns\/e and 2 more$/);
  });

  it('stays what it has proved to be, whatever another namespace says', () => {
    const made = directory(named('a'));
    provedAs(made, 'a');
    made.put(named('b', 'elsewhere'));
    expect(found(made)).toBe('uid of ns/a');
    // In its own namespace one person decides, and has to.
    made.put(named('c'));
    expect(() => found(made)).toThrow(/several Machines/);
    made.remove('ns/c');
    made.remove('ns/a');
    expect(found(made)).toBe('uid of elsewhere/b');
  });

  it('stays it when it is installed anew, unless it says itself that it is the other one', () => {
    const made = directory(named('a'));
    provedAs(made, 'a');
    made.put(named('b', 'elsewhere'));
    const anew = (hostname: string) => made.byTpm(KEY, { instance: 'installed anew', hostname })?.uid;
    expect(anew('x')).toBe('uid of ns/a');
    expect(anew('a')).toBe('uid of ns/a');
    // The hardware may be somebody else's by now: then neither has it.
    expect(() => anew('b')).toThrow(/several Machines/);
    // A namesake elsewhere changes nothing.
    made.put(named('a', 'elsewhere'));
    expect(anew('a')).toBe('uid of ns/a');
  });

  it('stays a Machine that took it as the first listed one, also where only another namespace names it', () => {
    const made = new MachineDirectory();
    made.put({ ...named('a'), endorsementKey: undefined });
    const endorsementKeys = { firstUse: true, trusted: [KEY] };
    made.policies.put(
      readPolicy({ metadata: { namespace: 'ns', name: 'p' }, spec: { method: 'tpm', endorsementKeys } }),
    );
    provedAs(made, 'a');
    made.put(named('b', 'elsewhere'));
    expect(made.byTpm(KEY, { instance: 'i', hostname: 'a' })).toEqual({
      ...{ namespace: 'ns', uid: 'uid of ns/a', byFirstUse: true },
    });
    // What nobody vouches for holds nothing: a stranger may have drawn the machine there before.
    provedAs(made, 'a', 'firstUse');
    expect(found(made)).toBe('uid of elsewhere/b');
  });

  it('is free when its holder is deleted, or names another TPM', () => {
    const other = `sha256:${'c'.repeat(64)}`;
    for (const change of [{ deleting: true }, { endorsementKey: other }]) {
      const made = directory(named('a'), named('b', 'elsewhere'));
      provedAs(made, 'a');
      expect(found(made)).toBe('uid of ns/a');
      made.put({ ...named('a'), ...change });
      if ('deleting' in change) expect(() => found(made)).toThrow(/several Machines/);
      else expect(found(made)).toBe('uid of elsewhere/b');
    }
  });

  it('is told of, before its machine comes and when it does', () => {
    const told: string[] = [];
    const made = new MachineDirectory(({ holder, others }) => {
      told.push(`${holder?.namespace}/${holder?.name}: ${others.map(({ namespace: of }) => of).join()}`);
    });
    made.put(named('a'));
    made.lookForContest(KEY);
    provedAs(made, 'a');
    made.lookForContest(KEY);
    expect(told).toEqual([]);
    made.put(named('b', 'elsewhere'));
    made.lookForContest(KEY);
    made.lookForContest(undefined);
    found(made);
    expect(told).toEqual(Array(2).fill('ns/a: elsewhere'));
    made.put(named('c'));
    expect(() => found(made)).toThrow();
    expect(told.at(-1)).toBe('undefined/undefined: ns,elsewhere,ns');
  });

  it('is known by its node of now when an earlier one goes', () => {
    const made = directory(named('a'));
    provedAs(made, 'earlier');
    provedAs(made, 'a');
    made.forget('ns/earlier');
    made.put(named('b', 'elsewhere'));
    expect(found(made)).toBe('uid of ns/a');
    made.forget('ns/a');
    expect(() => found(made)).toThrow(/several Machines/);
  });
});
