import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import type { ReadEvent } from '../../protocol/events.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { newSummary } from '../model/summary.ts';
import { KubernetesStore } from './kubernetes-store.ts';
import { type NodeBootstrap, recordOf } from './node-bootstrap.ts';
import { StoreBusy, StoreRefused, storedForm } from './store.ts';

// The case `controller` has a real API server; here are sizes and refusals that take long to come by.

function event(seq: number, value: string): ReadEvent {
  return {
    ...{ v: 1, machine: { instance: 'i', hostname: 'h' }, boot: 'b', seq, time: 't', mono: 1 },
    ...{ traceparent: '00', type: 'fact', name: 'n', value },
  };
}

function nodeOf(events: readonly ReadEvent[]): NodeBootstrap {
  return {
    metadata: { namespace: 'ns', name: 'n', resourceVersion: '1' },
    spec: { instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'token', at: 'now' } },
    status: {
      ...newSummary(),
      ...{ epoch: 0, seq: events.length, storedAt: '2026-01-01T00:00:00Z', writes: 1, message: 'm' },
      eventLog: events.map(storedForm),
    },
  };
}

/** On a client that answers so. */
function storeOn(request: (...of: never[]) => Promise<object>): KubernetesStore {
  const requestSized = async (...of: never[]): Promise<object> => {
    const value = await request(...of);
    return { value, bytes: Buffer.byteLength(JSON.stringify(value)) };
  };
  return new KubernetesStore({ request, requestSized } as unknown as KubeClient);
}

const ADDITION = { epoch: 0, events: [event(1, 'v')], summary: newSummary() };

it('removes events from the middle by the bytes that etcd counts, and tells how much is left', async () => {
  const events = Array.from({ length: 220 }, (_, at) => event(at + 1, '字'.repeat(940)));
  const patches: { path: string; value?: unknown }[][] = [];
  const request = async (_: string, __: string, { body }: { body: (typeof patches)[0] }): Promise<object> => {
    patches.push(body);
    return nodeOf(events);
  };
  const store = storeOn(request);
  const after = await store.append(recordOf(nodeOf(events.slice(0, 219))), ADDITION);
  const kept = patches[1]?.find(({ path }) => path === '/status/eventLog')?.value as { seq: number }[];
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  expect(bytes).toBeLessThan(300 * 1024);
  expect(bytes).toBeGreaterThan(200 * 1024);
  expect([kept[0]?.seq, kept.at(-1)?.seq]).toEqual([1, 220]);
  expect(after?.bytes).toBeLessThan(bytes + 2_000);
});

it.each(['<', '>', '&', '\u2028'])('counts %j as the six bytes of the API server', async (sign) => {
  const value = sign.repeat(2_800 / Buffer.byteLength(sign));
  const events = Array.from({ length: 128 }, (_, at) => event(at + 1, value));
  const patches: { path: string; value?: unknown }[][] = [];
  const inGo = (value: unknown): number =>
    Buffer.byteLength(JSON.stringify(value).replace(/[<>&\u2028]/g, '\\u003c'));
  const requestSized = async (_: string, __: string, { body }: { body: (typeof patches)[0] }) => {
    patches.push(body);
    return { value: nodeOf(events), bytes: inGo(nodeOf(events)) };
  };
  const client = { requestSized, request: requestSized } as unknown as KubeClient;
  const after = await new KubernetesStore(client).append(recordOf(nodeOf(events.slice(0, 127))), ADDITION);
  const kept = patches[1]?.find(({ path }) => path === '/status/eventLog')?.value;
  // Beyond etcd's bound nobody could write anything to the node any more, such as that it is quarantined.
  expect(inGo(kept)).toBeLessThan(300 * 1024);
  expect(after?.bytes).toBeLessThan(310 * 1024);
});

it('puts no empty text into a patch, which the API server would turn into null', async () => {
  const bodies: unknown[] = [];
  const request = async (_: string, __: string, { body }: { body: unknown }): Promise<object> => {
    bodies.push(body);
    return nodeOf([]);
  };
  const store = storeOn(request);
  const summary = {
    ...newSummary(),
    facts: { n: '' },
    failure: { code: 'X', cause: '', remedy: 'r', lines: [''] },
  };
  for (const writes of [0, 1]) {
    const record = { ...recordOf(nodeOf([])), writes };
    await store.append(record, { epoch: 0, events: [event(1, '')], summary });
  }
  expect(bodies).toHaveLength(2);
  expect(JSON.stringify(bodies)).not.toContain('""');
});

it('tells what is refused for good from what passes', async () => {
  const answers = async (error: KubeError): Promise<unknown> => {
    const request = () => Promise.reject(error);
    const store = storeOn(request);
    return store.append(recordOf(nodeOf([])), ADDITION).catch((caught: unknown) => caught);
  };
  const because = async (status: number, message: string): Promise<string> => {
    const said = await answers(new KubeError(status, 'x', message));
    return said instanceof StoreRefused ? said.because : said instanceof StoreBusy ? 'busy' : String(said);
  };
  expect(await because(500, 'etcdserver: request is too large')).toBe('size');
  expect(await because(500, 'rpc error: trying to send message larger than max (2 vs. 1)')).toBe('size');
  expect(await because(413, 'Request entity too large')).toBe('size');
  expect(await because(422, 'NodeBootstrap "n" is invalid: status.steps: Required value')).toBe('content');
  expect(await because(500, 'etcdserver: request timed out')).toBe('busy');
  expect(await because(503, 'no')).toBe('busy');
  expect(await because(422, 'the server rejected our request: testing path failed')).toBe('undefined');
});

it('shows the MachinePool of a machine without a Machine where others show how they were tied', async () => {
  const columns = ['Name', 'Tied-By', 'Token-Owner'];
  const rows = [
    ['a', null, 'MachinePool/pool'],
    ['b', 'token', 'MachinePool/pool'],
    ['c', null, 'MachineDeployment/workers'],
    ['d', null, null],
  ].map((cells) => ({ cells, object: { metadata: { namespace: 'ns', name: String(cells[0]) } } }));
  const lines = await storeOn(async () => ({
    columnDefinitions: columns.map((name) => ({ name })),
    rows,
  })).overview();
  expect(lines.map(({ tiedBy }) => tiedBy)).toEqual(['MachinePool/pool', 'token', '', '']);
});

it('reads columns that the CustomResourceDefinition makes', () => {
  const { spec } = load(readFileSync('manifests/crd/slipway.dev_nodebootstraps.yaml', 'utf8')) as {
    spec: { versions: { additionalPrinterColumns: { name: string; jsonPath: string }[] }[] };
  };
  const columns = spec.versions[0]?.additionalPrinterColumns;
  expect(columns).toContainEqual(
    expect.objectContaining({ name: 'Token-Owner', jsonPath: '.spec.enrolment.selector.owner' }),
  );
});
