import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refused } from '../attest/refused.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { ENDORSEMENT_KEY, type Machine, type MachineObject, readMachine } from '../machines/machine.ts';
import { InfrastructureWatch } from './infrastructure-watch.ts';

// Minutes pass here, and the API server answers in words of its own; the case `identity` has the real one.
beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  vi.useRealTimers();
  await watch.stop();
});

const [ONE, TWO] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
const POOL = { method: 'pool-token', namespace: 'ns' } as const;
const OBJECT = '/apis/infra.test/v1/namespaces/ns/demomachines/m';

let directory: MachineDirectory;
let watch: InfrastructureWatch;
let log: string[];
let told: string[];
let asked: string[];
/** What a `get` of the object gives: the key that it names, or a status. */
let answer: string | number | undefined;

beforeEach(() => {
  directory = new MachineDirectory();
  [log, told, asked, answer] = [[], [], [], undefined];
  const request = async (_: string, path: string): Promise<object> => {
    asked.push(path);
    if (path === '/apis/infra.test') return { preferredVersion: { groupVersion: 'infra.test/v1' } };
    if (path === '/apis/infra.test/v1')
      return { resources: [{ name: 'demomachines', kind: 'DemoMachine', namespaced: true }] };
    if (path !== OBJECT) throw new KubeError(404, 'NotFound', path);
    if (typeof answer === 'number') throw new KubeError(answer, 'Refused', 'in its words');
    return {
      metadata: { name: 'm', annotations: answer === undefined ? {} : { [ENDORSEMENT_KEY]: answer } },
    };
  };
  watch = new InfrastructureWatch({
    client: { request } as unknown as KubeClient,
    directory,
    alarms: { disagrees: (_, message) => void told.push(message) },
    log: createLog((line) => void log.push(line)),
    known: () => undefined,
  });
});

function machine(own?: string, ref: MachineObject['spec']['infrastructureRef'] = REF): Machine {
  const annotations = own === undefined ? {} : { [ENDORSEMENT_KEY]: own };
  const metadata = { namespace: 'ns', name: 'm', uid: 'u', annotations };
  return readMachine({ metadata, spec: { clusterName: 'c', infrastructureRef: ref } }, 'v1beta2');
}
const REF = { apiGroup: 'infra.test', kind: 'DemoMachine', name: 'm' };

async function put(made = machine(), ms = 1): Promise<void> {
  directory.put(made);
  watch.machineChanged(made);
  await vi.advanceTimersByTimeAsync(ms);
}

function byName(): string {
  try {
    return directory.find(POOL, { instance: 'i', hostname: 'm' })?.tie.by ?? 'untied';
  } catch (error) {
    if (error instanceof Refused) return `${error.code}: ${error.message}`;
    throw error;
  }
}
const byTpm = (key: string): string | undefined =>
  directory.byTpm(key, { instance: 'i', hostname: 'x' })?.uid;

it('ties the TPM that the object names, and lets no claim in until that was read', async () => {
  answer = ONE;
  const made = machine();
  directory.put(made);
  watch.machineChanged(made);
  expect(byName()).toMatch(/^slow-down: the infrastructure object of Machine ns\/m was not read yet/);
  await vi.advanceTimersByTimeAsync(1);
  expect([byTpm(ONE), byTpm(TWO)]).toEqual(['u', undefined]);
  expect(byName()).toMatch(/takes only the machine with the TPM/);
  answer = TWO;
  await vi.advanceTimersByTimeAsync(30_000);
  expect([byTpm(ONE), byTpm(TWO)]).toEqual([undefined, 'u']);
  watch.machineGone('u');
  directory.remove('ns/m');
  expect(byTpm(TWO)).toBeUndefined();
});

it('takes an older reference, and no words that are no name', async () => {
  answer = ONE;
  await put(machine(undefined, { apiVersion: 'infra.test/v1beta1', kind: 'DemoMachine', name: 'm' }));
  expect(byTpm(ONE)).toBe('u');
  asked = [];
  const hostile = [
    { apiGroup: '..', kind: 'DemoMachine', name: 'm' },
    { apiGroup: 'infra.test', kind: 'DemoMachine', name: '../../secrets/x' },
    { apiVersion: 'v1', kind: 'Secret', name: 'm' },
  ];
  for (const ref of hostile) expect(machine(undefined, ref).infrastructure).toBeUndefined();
});

it('does without what it may not get, says so once, and tries again', async () => {
  answer = 403;
  await put();
  expect(byName()).toBe('name');
  await put(machine(), 60_000);
  expect(asked.filter((path) => path === OBJECT)).toHaveLength(1);
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/may not get them.*infra\.test\/DemoMachine/);
  answer = ONE;
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  expect(byTpm(ONE)).toBe('u');
});

it('holds on to what was read when the right, the object or the API server goes', async () => {
  answer = ONE;
  await put();
  for (const status of [403, 404, 500]) {
    answer = status;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(byTpm(ONE)).toBe('u');
  }
});

it('lets nobody in by a claim while the object cannot be read', async () => {
  answer = 500;
  await put(machine(), 60_000);
  expect(byName()).toMatch(/^slow-down/);
  answer = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(byName()).toBe('name');
});

it("lets a Machine's own annotation count, and refuses the other TPM by name", async () => {
  answer = TWO;
  await put(machine(ONE));
  expect(byTpm(ONE)).toBe('u');
  expect(() => byTpm(TWO)).toThrow(
    `Machine ns/m names ${ONE} itself; that its DemoMachine m names ${TWO} does not count`,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  expect(told).toEqual([
    `The Machine names the TPM ${ONE} itself, and its DemoMachine m names ${TWO}: that one is refused. Let them agree, or remove one annotation.`,
  ]);
  await put(machine(TWO), 60_000);
  expect([byTpm(TWO), byTpm(ONE)]).toEqual(['u', undefined]);
});
