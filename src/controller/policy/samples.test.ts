import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { root } from '../../../build/project.ts';
import { Judge } from '../attest/judge.ts';
import type { MachineFinder } from '../attest/machine-finder.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { readMachine } from '../machines/machine.ts';
import type { Proofs } from '../store/machine-identities.ts';
import { type IdentityPolicy, type NodeIdentityPolicy, readPolicy } from './identity-policy.ts';

const SAMPLE = join(root, 'manifests/samples/node-identity-policy.yaml');
const [OWN, OTHER] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
const BOOT = Object.fromEntries(Array.from({ length: 16 }, (_, pcr) => [pcr, '11'.repeat(32)]));

/** Policies of the sample, and of the pages. */
function shipped(): [string, NodeIdentityPolicy][] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = docs.flatMap((name) => {
    const text = readFileSync(join(root, 'docs', name), 'utf8');
    return [...text.matchAll(/```yaml\n([^`]*kind: NodeIdentityPolicy[^`]*)```/g)].map(
      ([, block = '']) => [name, load(block)] as [string, NodeIdentityPolicy],
    );
  });
  const samples = loadAll(readFileSync(SAMPLE, 'utf8')).map(
    (document) => ['sample', document] as [string, NodeIdentityPolicy],
  );
  return [...samples, ...pages];
}

/** A controller that has the policy, with the worker worker-1 of my-cluster, for which somebody named the TPM `OWN`. */
class Scene {
  readonly directory = new MachineDirectory();
  #known: Proofs | undefined;
  readonly #judge: Judge;

  constructor(policy: IdentityPolicy) {
    const { namespace } = policy;
    this.directory.policies.put(policy);
    for (const [name, annotations] of [
      ['worker-1', { 'slipway.dev/endorsement-key': OWN }],
      ['worker-2', {}],
    ] as const) {
      const metadata = {
        namespace,
        name,
        uid: name,
        annotations,
        creationTimestamp: new Date().toISOString(),
      };
      this.directory.put(readMachine({ metadata, spec: { clusterName: 'my-cluster' } }, 'v1beta2'));
    }
    this.#judge = new Judge({
      policiesOf: (uid) => this.directory.policiesOf(this.directory.byUid(uid) as never),
      madeAt: (uid) => this.directory.byUid(uid)?.madeAt ?? 0,
      otherOf: () => undefined,
      store: { find: async () => undefined },
      identities: {
        of: async () => this.#known,
        bind: async (_, __, { endorsementKey, registers = {} }) => {
          this.#known = { epoch: 1, keyDigest: '', endorsementKey, registers };
          return true;
        },
      },
      holders: { take: async () => true },
      counters: { seen: async () => undefined, note: async () => undefined },
      chains: { whyUntrusted: async () => 'it has no certificate of its maker' },
      failed: async () => undefined,
    });
  }

  /** A machine has shown that it has this key, as `TpmAttestor` does. @returns by what it is a Machine. @throws Refused */
  async comes(endorsementKey: string, hostname: string, registers = BOOT): Promise<string | undefined> {
    const identity = { instance: 'i', hostname };
    const found = this.directory.byTpm(endorsementKey, identity);
    if (!found) return undefined;
    const { namespace, uid: machineUid, byFirstUse } = found;
    const claim = { method: 'tpm', namespace, machineUid, endorsementKey, byFirstUse, registers };
    const tie: ReturnType<MachineFinder['find']> = this.directory.find(claim, identity);
    if (!tie) return undefined;
    await this.#judge.judge(claim, identity, tie);
    return `${tie.tie.name} by ${tie.tie.by}`;
  }
}

describe('the policy that comes with the manifests', () => {
  const [[, sample]] = shipped() as [[string, NodeIdentityPolicy]];

  it('is one that a machine can satisfy, again and again', async () => {
    const scene = new Scene(readPolicy(sample));
    for (const _ of [1, 2]) expect(await scene.comes(OWN, 'worker-1')).toBe('worker-1 by tpm');
    expect(scene.directory.policiesOf(scene.directory.byUid('worker-1') as never)).toHaveLength(1);
  });

  it('lets nobody in whose TPM nobody named, and nobody who booted otherwise than before', async () => {
    const scene = new Scene(readPolicy(sample));
    for (const name of ['worker-1', 'worker-2']) expect(await scene.comes(OTHER, name)).toBeUndefined();
    await scene.comes(OWN, 'worker-1');
    for (const pcr of sample.spec.registers?.pcrs ?? []) {
      const otherwise = { ...BOOT, [pcr]: '22'.repeat(32) };
      await expect(scene.comes(OWN, 'worker-1', otherwise)).rejects.toMatchObject({
        reason: 'TpmBootStateChanged',
      });
    }
    expect(sample.spec.registers?.pcrs.length).toBeGreaterThan(0);
  });
});

it.each(shipped())('a policy of %s can be kept, and takes no TPM that nobody vouches for', (_, object) => {
  const policy = readPolicy(object);
  expect(policy.invalid).toBeUndefined();
  expect(policy.firstUse && !policy.trusted && !policy.authorities).toBe(false);
});
