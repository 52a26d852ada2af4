import { beforeEach, describe, expect, it } from 'vitest';
import type { Claim, Evidence } from '../attest/attestor.ts';
import { MachineTokenAttestor, mintMachineToken, NEVER } from '../attest/machine-token.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { fold, newSummary } from '../model/summary.ts';
import { type PoolObject, readPool } from './pool.ts';
import { PoolDirectory } from './pool-directory.ts';
import { mintPoolToken, POOL_TOKEN_MS, PoolTokenAttestor } from './pool-token.ts';

const UID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const KEY = Buffer.alloc(32, 1);

let pools: PoolDirectory;
let full: string[];
let keys: Uint8Array[];

beforeEach(() => {
  pools = new PoolDirectory();
  full = [];
  keys = [KEY];
  put();
});

function put(more: Partial<PoolObject['metadata']> = {}, status: PoolObject['status'] = {}): void {
  const metadata = { namespace: 'ns', name: 'workers', uid: UID, ...more };
  pools.put(readPool({ metadata, spec: { clusterName: 'demo', replicas: 1 }, status }, 'v1beta2'));
}

function attest(token: string): Promise<Claim | undefined> {
  const attestor = new PoolTokenAttestor(
    () => keys,
    pools,
    ({ name }) => full.push(name),
  );
  return attestor.attest({ token } as Evidence);
}

/** A node that came by the token, as it is stored. */
function enrolled(name: string, at: number, node?: string): NodeRecord {
  const common = {
    ...{ v: 1 as const, machine: { instance: 'i', hostname: 'h' }, boot: 'b', traceparent: '' },
    ...{ time: '2026-01-01T00:00:00Z', seq: 1, mono: 1 },
  };
  const summary =
    node === undefined
      ? newSummary()
      : fold(newSummary(), { ...common, type: 'node.observed', node, state: 'ready' });
  const enrolment = { method: 'pool-token', at: new Date(at).toISOString() };
  const selector = { cluster: 'demo', owner: 'MachinePool/workers' };
  return {
    ...{ namespace: 'ns', name, epoch: 0, seq: 0, summary, storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: name, enrolment: { ...enrolment, selector } },
  };
}

async function letIn(name: string, at = Date.now(), node?: string): Promise<void> {
  const claim = await attest(mintPoolToken(UID, KEY));
  await claim?.use?.take();
  pools.nodeChanged(enrolled(name, at, node));
}

describe('the token of a MachinePool', () => {
  it('stands for the pool it names: its namespace, its cluster, its Machines', async () => {
    expect(await attest(mintPoolToken(UID, KEY))).toMatchObject({
      ...{ method: 'pool-token', namespace: 'ns' },
      selector: { cluster: 'demo', owner: 'MachinePool/workers' },
      token: expect.stringMatching(/^[0-9a-f]{10}$/),
    });
    expect(
      await attest(mintMachineToken({ uid: UID, namespace: 'ns', name: 'w1' }, 0, NEVER, KEY)),
    ).toBeUndefined();
    const now = Date.now();
    expect(mintPoolToken(UID, KEY, now)).not.toBe(mintPoolToken(UID, KEY, now));
  });

  it.each([
    ['was signed with another key', mintPoolToken(UID, Buffer.alloc(32, 2)), /not made by this controller/],
    ['has ended', mintPoolToken(UID, KEY, Date.now() - POOL_TOKEN_MS - 2_000), /has expired/],
    ['is cut', mintPoolToken(UID, KEY).slice(0, -1), /damaged|not made/],
    ['names a pool that is gone', mintPoolToken(UID.replace('0f', '1f'), KEY), /is gone/],
  ])('is refused where it %s', async (_, token, why) => {
    await expect(attest(token)).rejects.toThrow(why);
  });

  it("is no Machine's token, and a Machine's is no pool's, though one key signs both", async () => {
    const machines = new MachineTokenAttestor(() => keys, { byUid: () => ({ namespace: 'ns' }) });
    const [, ofPool = ''] = mintPoolToken(UID, KEY).split(/^slwp\./);
    await expect(machines.attest({ token: `slwm.${ofPool}` } as Evidence)).rejects.toThrow(
      /damaged|not made/,
    );
    // As long as a pool's, as the tokens of an earlier release might have been.
    const [, ofMachine = ''] = mintMachineToken(
      { uid: UID, namespace: 'ns', name: 'w1' },
      0,
      NEVER,
      KEY,
    ).split(/^slwm\./);
    await expect(attest(`slwp.${ofMachine}`)).rejects.toThrow(/damaged|not made/);
  });

  it('counts with the key before during a rotation, and no longer after it', async () => {
    const token = mintPoolToken(UID, KEY);
    keys = [Buffer.alloc(32, 3), KEY];
    expect(await attest(token)).toBeDefined();
    keys = [Buffer.alloc(32, 3)];
    await expect(attest(token)).rejects.toThrow(/not made by this controller/);
  });

  it('ends with its pool, and where the pool takes newer ones only', async () => {
    const token = mintPoolToken(UID, KEY, Date.now() - 60_000);
    put({ annotations: { 'slipway.dev/tokens-from': new Date(Date.now() - 30_000).toISOString() } });
    await expect(attest(token)).rejects.toThrow(/newer tokens only/);
    expect(await attest(mintPoolToken(UID, KEY))).toBeDefined();
    // What nobody can read stops all rather than none.
    put({ annotations: { 'slipway.dev/tokens-from': 'now' } });
    await expect(attest(mintPoolToken(UID, KEY))).rejects.toThrow(/newer tokens only/);
    put({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await expect(attest(token)).rejects.toThrow(/is gone/);
  });

  it('lets in twice the replicas and ten within an hour, then asks to wait, and tells of it', async () => {
    for (let count = 0; count < 12; count += 1) await letIn(`n${count}`);
    await expect(letIn('late')).rejects.toMatchObject({ code: 'slow-down', retryAfterMs: 60_000 });
    expect(full).toEqual(['workers']);
  });

  it('has room again after an hour, for machines whose Nodes the pool names, and where a node is gone', async () => {
    for (let count = 0; count < 12; count += 1) pools.nodeChanged(enrolled(`n${count}`, Date.now()));
    await expect(letIn('late')).rejects.toThrow();
    put({}, { nodeRefs: [{ name: 'node-1' }] });
    pools.nodeChanged(enrolled('n1', Date.now(), 'node-1'));
    await letIn('second');
    await expect(letIn('late')).rejects.toThrow();
    pools.nodeGone(nodeKey(enrolled('n2', 0)));
    await letIn('third');
    await expect(letIn('late')).rejects.toThrow();
    pools.nodeChanged(enrolled('n3', Date.now() - 61 * 60_000));
    await letIn('fourth');
  });

  it('counts all but one of the machines that claim to be the same Node', async () => {
    put({}, { nodeRefs: [{ name: 'node-1' }] });
    for (let count = 0; count < 13; count += 1) await letIn(`n${count}`, Date.now(), 'node-1');
    await expect(letIn('late', Date.now(), 'node-1')).rejects.toMatchObject({ code: 'slow-down' });
    expect(full).toEqual(['workers']);
  });

  it('counts all that claim to be a Node that has enrolled long before', async () => {
    put({}, { nodeRefs: [{ name: 'node-1' }] });
    pools.nodeChanged(enrolled('old', Date.now() - 61 * 60_000, 'node-1'));
    for (let count = 0; count < 12; count += 1) await letIn(`n${count}`, Date.now(), 'node-1');
    await expect(letIn('late', Date.now(), 'node-1')).rejects.toMatchObject({ code: 'slow-down' });
  });

  it('counts machines that are on their way, and gives back what came to nothing', async () => {
    const claim = await attest(mintPoolToken(UID, KEY));
    for (let count = 0; count < 12; count += 1) await claim?.use?.take();
    await expect(claim?.use?.take()).rejects.toMatchObject({ code: 'slow-down' });
    claim?.use?.giveBack();
    await claim?.use?.take();
  });
});
