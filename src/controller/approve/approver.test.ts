import { createHash, generateKeyPairSync } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { createLog } from '../log.ts';
import { Approver } from './approver.ts';
import { BOOTSTRAP, dns, EC, signingRequest } from './fixtures/requests.ts';
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
    objectBytes: 2 ** 21,
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

it('keeps nothing of a request whose fields are endless, or no texts', async () => {
  const world = new TestWorld().machine('n1');
  const wrong = (name: string, spec: object): SigningRequest => {
    const made = signingRequest({}, { ...BOOTSTRAP, name });
    return { ...made, spec: { ...made.spec, ...spec } };
  };
  const { log, reasons } = await decided(world, [
    wrong('user', { username: `system:node:${'x'.repeat(256 * 1024)}` }),
    wrong('groups', { groups: 'system:nodes' }),
    wrong('usages', { usages: Array.from({ length: 10_000 }, () => 'client auth') }),
    wrong('text', { request: { a: 1 } }),
    signingRequest({}, { ...BOOTSTRAP, name: 'good' }),
  ]);
  expect(reasons).toEqual({ good: 'SlipwayApproved' });
  expect(log.length).toBeLessThan(4_000);
  expect(log.match(/left alone.*longer, or of another type/g)).toHaveLength(4);
});

it('keeps so much of open requests, and no more', async () => {
  const names = Array.from({ length: 180 }, (_, at) => dns(`${'x'.repeat(40)}-${at}.example`));
  const made = signingRequest({ use: 'serving', names });
  const many = Array.from({ length: 1_500 }, (_, at) => ({
    ...made,
    metadata: { ...made.metadata, name: `csr-${at}`, uid: `${at}` },
  }));
  const troubles: string[] = [];
  const list = JSON.stringify({ kind: 'List', metadata: { resourceVersion: '1' }, items: many });
  const client = {
    stream: async () => Readable.from([Buffer.from(list)]),
    request: async () => ({}),
    objectBytes: 2 ** 21,
    close: () => undefined,
  };
  const world = new TestWorld();
  const approver = new Approver({
    ...{ client: client as unknown as KubeClient, cluster: 'default/c', rules: RULES },
    ...{ members: world.members, directory: world.directory, refresh: async () => undefined },
    ...{ trouble: (error: Error) => troubles.push(error.message), denied: () => undefined },
    log: createLog(() => undefined),
  });
  approver.start();
  await vi.waitFor(
    () => expect(troubles[0]).toMatch(/has more than 16777216 bytes of open requests/),
    20_000,
  );
  await approver.stop();
});

it('waits no longer for a server that does not answer than two seconds when it ends', async () => {
  let open = 0;
  const calls: ((error: Error) => void)[] = [];
  const object = signingRequest({}, { ...BOOTSTRAP, name: 'slow' });
  const list = JSON.stringify({ kind: 'List', metadata: { resourceVersion: '1' }, items: [object] });
  const client = {
    stream: async (_: string, { query, signal }: { query: { watch?: boolean }; signal: AbortSignal }) =>
      query.watch ? addAbortSignal(signal, new Readable({ read() {} })) : Readable.from([Buffer.from(list)]),
    request: () => {
      open += 1;
      return new Promise((_, fail) => calls.push(fail));
    },
    objectBytes: 2 ** 21,
    close: () => {
      for (const fail of calls) fail(new Error('closed'));
    },
  };
  const world = new TestWorld().machine('n1');
  const approver = new Approver({
    ...{ client: client as unknown as KubeClient, cluster: 'default/c', rules: RULES },
    ...{ members: world.members, directory: world.directory, refresh: async () => undefined },
    ...{ trouble: () => undefined, denied: () => undefined, log: createLog(() => undefined) },
  });
  approver.start();
  await vi.waitFor(() => expect(open).toBeGreaterThan(0));
  const began = performance.now();
  await approver.stop();
  expect(performance.now() - began).toBeLessThan(4_000);
});
