import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refused } from '../attest/refused.ts';
import type { KubeClient, RequestOptions } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { CONDITION, type Condition, type MachineObject, readMachine } from '../machines/machine.ts';
import { UnreportedMachines } from './unreported-machines.ts';

const MINUTE = 60_000;

let directory: MachineDirectory;
let watch: UnreportedMachines;
let object: MachineObject;
let written: Condition[];
let told: string[];
let held: boolean;
let managed: boolean;
let paused: boolean;
let refuse: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-02T03:00:00Z') });
  directory = new MachineDirectory();
  refuse = () => {};
  [written, told, held, managed, paused] = [[], [], false, false, false];
  object = {
    metadata: { namespace: 'ns', name: 'w1', uid: 'u' },
    spec: {
      clusterName: 'c',
      bootstrap: { dataSecretName: 'w1' },
      readinessGates: [{ conditionType: CONDITION }],
    },
    status: {},
  };
  const request = async (_: string, path: string, { body }: RequestOptions): Promise<void> => {
    expect(path).toMatch(/machines\/w1\/status$/);
    refuse();
    const [condition] = (body as MachineObject).status?.conditions ?? [];
    if (condition) {
      written.push(condition);
      change((machine) => {
        machine.status = { ...machine.status, conditions: [...others(machine), condition] };
      });
    }
  };
  watch = new UnreportedMachines({
    client: { request } as unknown as KubeClient,
    ...{ version: 'v1beta2', directory, log: createLog(() => {}) },
    recorder: { record: async (_, { reason }) => void told.push(reason) },
    isHeld: () => held,
    isManagedNamespace: () => managed,
    isPaused: () => paused,
  });
  watch.lead(true);
});
afterEach(async () => {
  await watch.stop();
  vi.useRealTimers();
});

function others({ status }: MachineObject): Condition[] {
  return status?.conditions?.filter(({ type }) => type !== CONDITION) ?? [];
}

function change(how: (machine: MachineObject) => void = () => {}): void {
  how(object);
  const machine = readMachine(object, 'v1beta2');
  directory.put(machine);
  watch.machineChanged(machine);
}

function infrastructureReady(machine: MachineObject): void {
  const ready = { type: 'InfrastructureReady', status: 'True', reason: 'Ready', message: '' } as const;
  machine.status = { conditions: [{ ...ready, lastTransitionTime: new Date().toISOString() }] };
}

function hasNode(machine: MachineObject): void {
  machine.status = { ...machine.status, nodeRef: { name: 'n1' } };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const said = (): string[] => written.map(({ status, reason }) => `${status} ${reason}`);

describe('a Machine that has not reported', () => {
  it('is told ten minutes after its infrastructure was ready, once', async () => {
    change();
    await pass(20 * MINUTE);
    expect(said()).toEqual([]);
    change(infrastructureReady);
    await pass(9 * MINUTE);
    expect(said()).toEqual([]);
    await pass(60 * MINUTE);
    expect([said(), told]).toEqual([['Unknown NeverReported'], ['NeverReported']]);
    expect(written[0]?.message).toMatch(/since its infrastructure was ready at 2026-01-02T03:20:00Z/);
  });

  it('is told two minutes after its Node came', async () => {
    change(infrastructureReady);
    await pass(MINUTE);
    change(hasNode);
    await pass(MINUTE);
    expect(said()).toEqual([]);
    await pass(2 * MINUTE);
    expect(written[0]?.message).toMatch(/^Node n1 exists, and its machine has never reported/);
  });

  it('is not told where a machine has enrolled, it is paused or deleted, or somebody told something before', async () => {
    held = true;
    change((machine) => {
      infrastructureReady(machine);
      hasNode(machine);
    });
    await pass(20 * MINUTE);
    [held, paused] = [false, true];
    watch.lookAtAll();
    await pass(MINUTE);
    paused = false;
    change((machine) => {
      machine.status?.conditions?.push({
        type: CONDITION,
        status: 'True',
        reason: 'Bootstrapped',
        message: '',
      });
    });
    await pass(MINUTE);
    change((machine) => {
      machine.status = { ...machine.status, conditions: others(machine) };
      machine.metadata.deletionTimestamp = '2026-01-02T03:00:00Z';
    });
    await pass(MINUTE);
    expect(said()).toEqual([]);
  });

  it('is nobody’s concern where nobody expects it to report', async () => {
    object.spec.readinessGates = [{ conditionType: 'other' }];
    change(infrastructureReady);
    await pass(20 * MINUTE);
    expect(said()).toEqual([]);
    managed = true;
    watch.lookAtAll('ns');
    await pass(1);
    expect(said()).toEqual(['Unknown NeverReported']);
  });

  it('is expected by the label of a Machine before that of its namespace', async () => {
    object.spec.readinessGates = [];
    managed = true;
    object.metadata.labels = { 'slipway.dev/bootstrap-data': 'none' };
    change(infrastructureReady);
    await pass(20 * MINUTE);
    expect(said()).toEqual([]);
    change((machine) => (machine.metadata.labels = { 'slipway.dev/bootstrap-data': 'managed' }));
    await pass(1);
    expect(said()).toEqual(['Unknown NeverReported']);
  });

  it('is not expected where its namespace got the label after its Node was there', async () => {
    object.spec.readinessGates = [];
    managed = true;
    change((machine) => {
      infrastructureReady(machine);
      hasNode(machine);
    });
    await pass(60 * MINUTE);
    expect(said()).toEqual([]);
  });
});

describe('a machine whose genuine token does not count', () => {
  const identity = { instance: 'i', hostname: 'w1' };
  const refusal = (more: object = {}) =>
    new Refused('unauthorized', 'why', { words: 'The token has expired.', ...more });

  it('is told on its Machine why, once in a while', async () => {
    change();
    for (let at = 0; at < 5; at += 1)
      watch.refused({ namespace: 'ns', machineUid: 'u' }, identity, refusal());
    await pass(1);
    expect([said(), told]).toEqual([['Unknown ReportingRefused'], ['ReportingRefused']]);
    expect(written[0]?.message).toBe('The token has expired.');
    // That it never reported says less.
    change(infrastructureReady);
    change((machine) => machine.status?.conditions?.push(written[0] as Condition));
    await pass(60 * MINUTE);
    expect(said()).toEqual(['Unknown ReportingRefused']);
  });

  it('is an alarm where another machine has used it, and changes nothing of what that one told', async () => {
    held = true;
    change();
    watch.refused({ namespace: 'ns', machineUid: 'u' }, identity, refusal({ isSecondHolder: true }));
    await pass(1);
    expect([said(), told]).toEqual([[], ['TokenUsedTwice']]);
  });

  it('is found by its name where the token is a pool’s, if that may be this Machine', async () => {
    change();
    const selector = { owner: 'MachineDeployment/others' };
    watch.refused({ namespace: 'ns', selector }, identity, refusal());
    watch.refused({ namespace: 'ns' }, { ...identity, hostname: 'w2' }, refusal());
    await pass(1);
    expect(said()).toEqual([]);
    // Whoever has the token may call himself so: it counts when the Machine is overdue.
    change(infrastructureReady);
    watch.refused({ namespace: 'ns' }, identity, refusal());
    await pass(1);
    expect([said(), told]).toEqual([[], []]);
    await pass(20 * MINUTE);
    expect([said(), told]).toEqual([['Unknown ReportingRefused'], ['ReportingRefused']]);
    expect(written[0]?.message).toMatch(/says it is this Machine.* was refused. The token has expired./);
  });

  it('hides no second holder by being refused for another reason all the time', async () => {
    held = true;
    change();
    for (let at = 0; at < 20; at += 1) {
      watch.refused({ namespace: 'ns', machineUid: 'u' }, identity, refusal());
      if (at === 10)
        watch.refused({ namespace: 'ns', machineUid: 'u' }, identity, refusal({ isSecondHolder: true }));
      await pass(5_000);
    }
    expect(told).toEqual(['ReportingRefused', 'TokenUsedTwice']);
  });

  it('is asked for seldom where the namespace gives no rights', async () => {
    let tries = 0;
    refuse = () => {
      tries += 1;
      throw new KubeError(403, 'Forbidden', 'forbidden');
    };
    change(infrastructureReady);
    await pass(70 * MINUTE);
    expect(tries).toBeLessThan(8);
  });
});
