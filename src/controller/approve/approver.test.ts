import { createHash, generateKeyPairSync } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { createLog } from '../log.ts';
import { Approver } from './approver.ts';
import { BOOTSTRAP, EC, signingRequest } from './fixtures/requests.ts';
import { RULES, TestWorld } from './fixtures/world.ts';
import type { SigningRequest } from './signing-request.ts';

/** An API server that has these requests, and what an approver made of them; the case `approve` has the real one. */
async function decided(
  world: TestWorld,
  objects: readonly SigningRequest[],
  refresh: (tell: (object: SigningRequest) => void) => void = () => undefined,
  all: readonly SigningRequest[] = objects,
): Promise<{ reasons: Record<string, string>; told: string[]; log: string }> {
  const reasons: Record<string, string> = {};
  const told: string[] = [];
  let log = '';
  const watch = new Readable({ read() {} });
  const tell = (object: SigningRequest) => void watch.push(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  const list = JSON.stringify({ kind: 'List', metadata: { resourceVersion: '1' }, items: objects });
  const client = {
    stream: async (_: string, { query, signal }: { query: { watch?: boolean }; signal: AbortSignal }) =>
      query.watch ? addAbortSignal(signal, watch) : Readable.from([Buffer.from(list)]),
    request: async (method: string, path: string, { body }: { body?: SigningRequest } = {}) => {
      const name = path.split('/')[5] ?? '';
      if (method === 'PUT') reasons[name] = body?.status?.conditions?.[0]?.reason ?? '';
      return all.find(({ metadata }) => metadata.name === name) ?? {};
    },
    close: () => undefined,
  };
  const approver = new Approver({
    ...{ client: client as unknown as KubeClient, cluster: 'default/c', rules: RULES },
    ...{ members: world.members, directory: world.directory, trouble: () => undefined },
    refresh: async () => {
      refresh(tell);
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
    denied: ({ name }, because) => told.push(`${name}: ${because}`),
    log: createLog((line) => {
      log += line;
    }),
  });
  approver.start();
  await vi.waitFor(() => {
    for (const { metadata } of all) expect(log).toContain(`"${metadata.name}"`);
  }, 50_000);
  await approver.stop();
  return { reasons, told, log };
}

it('approves what is a Machine, denies what is not its own, and leaves the rest', async () => {
  const world = new TestWorld().machine('n1').machine('n2', { ref: 'n2' });
  const { reasons, told } = await decided(world, [
    signingRequest({}, { ...BOOTSTRAP, name: 'first' }),
    signingRequest({ node: 'n2' }, { name: 'renewal' }),
    signingRequest({ node: 'n1' }, { name: 'foreign', username: 'system:node:n2' }),
    signingRequest({ node: 'n3' }, { name: 'unknown' }),
    signingRequest({}, { name: 'stranger', username: 'admin', groups: [] }),
  ]);
  expect(reasons).toEqual({ first: 'SlipwayApproved', renewal: 'SlipwayApproved', foreign: 'SlipwayDenied' });
  // The node that was taken over is the one that asked.
  expect(told).toEqual([expect.stringMatching(/^n2: foreign: system:node:n2 asks for a certificate of/)]);
});

it('approves one of a node, the newest, also of those that were there before it', async () => {
  const world = new TestWorld().machine('n1');
  const now = Date.now();
  const { reasons } = await decided(
    world,
    ['a', 'b', 'c'].map((name, at) => signingRequest({}, { name, madeAt: now - 9_000 + at * 1_000 })),
  );
  expect(reasons).toEqual({ c: 'SlipwayApproved' });
});

it('approves one of two of which the second comes while the first is read anew', async () => {
  const world = new TestWorld().machine('n1');
  const madeAt = Date.now() - 5_000;
  const objects = ['a', 'b'].map((name, at) =>
    signingRequest({}, { ...BOOTSTRAP, name, madeAt: madeAt + at * 1_000 }),
  );
  const [first, second] = objects as [SigningRequest, SigningRequest];
  let told = false;
  const { reasons } = await decided(
    world,
    [first],
    (tell) => {
      if (!told) tell(second);
      told = true;
    },
    objects,
  );
  expect(Object.values(reasons)).toEqual(['SlipwayApproved']);
});

it('reads the Machine anew before it approves', async () => {
  const world = new TestWorld().machine('n1');
  const quarantine = () => void world.enrolled('n1', 'n1', { admission: { state: 'Quarantined', at: '' } });
  const { reasons } = await decided(world, [signingRequest({}, { name: 'late' })], quarantine);
  expect(reasons).toEqual({ late: 'SlipwayDenied' });
});

it('approves the key that a machine has proved while others with a token ask on for its node', async () => {
  const at = new Date().toISOString();
  const spki = EC.publicKey.export({ type: 'spki', format: 'der' });
  const keyDigest = createHash('sha256').update(spki).digest('hex');
  const world = new TestWorld().machine('n1').enrolled('n1', 'n1', { by: 'tpm', kubelet: { keyDigest, at } });
  const others = Array.from({ length: 8 }, (_, index) =>
    signingRequest(
      { keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
      { ...BOOTSTRAP, name: `other-${index}` },
    ),
  );
  const own = signingRequest({ keys: EC }, { ...BOOTSTRAP, name: 'its-own' });
  own.metadata.creationTimestamp = new Date(Date.now() - 10_000).toISOString();
  const { reasons } = await decided(world, [own, ...others]);
  expect(reasons).toEqual({
    'its-own': 'SlipwayApproved',
    ...Object.fromEntries(others.map(({ metadata }) => [metadata.name, 'SlipwayDenied'])),
  });
});
