import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import type { NodeRecord, TieKind } from '../model/node-record.ts';
import { Metrics } from '../web/metrics.ts';
import { Alarms } from './alarms.ts';
import type { EventRecorder, MachineEvent } from './event-recorder.ts';
import { type Machine, readMachine } from './machine.ts';

const machine = (name: string, namespace = 'ns'): Machine =>
  readMachine({ metadata: { namespace, name, uid: `${namespace}/${name}` }, spec: {} }, 'v1beta2');
const MACHINE = machine('m');

let told: (MachineEvent & { of: string })[];
let lines: string[];
let alarms: Alarms;

beforeEach(() => {
  told = [];
  lines = [];
  const record = async ({ namespace, name }: Machine, event: MachineEvent) => {
    told.push({ ...event, of: `${namespace}/${name}` });
  };
  alarms = new Alarms({
    recorder: { record } as unknown as EventRecorder,
    byUid: (uid) => (uid === MACHINE.uid ? MACHINE : undefined),
    metrics: new Metrics(),
    log: createLog((line) => void lines.push(line)),
  });
});

function node(
  by: TieKind | undefined,
  key?: string,
  more: { instance?: string; uid?: string } = {},
): NodeRecord {
  const { instance = 'i', uid = MACHINE.uid } = more;
  return {
    ...{ namespace: 'ns', name: 'm' },
    spec: {
      ...{ instance, hostname: 'h', keyDigest: 'd' },
      enrolment: { method: 'x', at: 'then', ...(key === undefined ? {} : { endorsementKey: key }) },
      ...(by ? { machine: { name: 'm', uid, by } } : {}),
    },
  } as NodeRecord;
}

describe('a node that took the place of another one', () => {
  const says = (before: NodeRecord, after: NodeRecord): string => {
    alarms.replaced(before, after);
    return told.map(({ type, reason }) => `${type} ${reason}`).join();
  };

  it.each<[TieKind, string | undefined, { instance?: string }, TieKind]>([
    ['tpm', 'k', { instance: 'before it was installed anew' }, 'tpm'],
    ['tpm', 'k', {}, 'tpm'],
    ['firstUse', 'k', {}, 'tpm'],
    ['firstUse', 'k', {}, 'firstUse'],
    ['tpm', 'k', {}, 'firstUse'],
    ['token', undefined, {}, 'tpm'],
  ])('is not accused where it was proved before: %s %s %j, then %s', (by, key, more, next) => {
    expect(says(node(by, key, more), node(next, 'k'))).toBe('Normal EnrolledAgain');
    expect(told[0]?.message).not.toMatch(/claim|revoke|copied/);
  });

  it.each<[TieKind, string | undefined, TieKind, string, RegExp]>([
    [
      'name',
      undefined,
      'token',
      'ClaimReplaced',
      /only claimed to be this Machine, by its host name.*revoke/,
    ],
    ['providerID', undefined, 'tpm', 'ClaimReplaced', /by its provider ID.*revoke the token of its pool/],
    ['firstUse', 'other', 'tpm', 'ClaimReplaced', /came first, with a key for which nobody vouches/],
    ['token', undefined, 'tpm', 'TokenReplaced', /had the token of this Machine.*copied the token/],
  ])('is told of where it was another machine: %s %s, then %s', (by, key, next, reason, message) => {
    const after = next === 'tpm' ? node(next, 'k') : node(next);
    expect(says(node(by, key, { instance: 'another' }), after)).toBe(`Warning ${reason}`);
    expect(told[0]?.message).toMatch(message);
  });

  it('is nothing to tell of where the other one was no node of this Machine', () => {
    expect(says(node(undefined), node('token'))).toBe('');
    expect(says(node('tpm', 'k', { uid: 'an earlier Machine of this name' }), node('tpm', 'other'))).toBe('');
    expect(lines).toHaveLength(2);
  });
});

describe('a TPM that several Machines name', () => {
  const KEY = `sha256:${'a'.repeat(64)}`;
  const [other, more] = [machine('theirs', 'elsewhere'), machine('x', 'elsewhere')];

  it('is told of on both sides, once an hour, without the name of the other tenant', () => {
    for (const _ of [1, 2, 3]) alarms.contested({ key: KEY, holder: MACHINE, others: [other] });
    expect(told.map(({ of, type, reason }) => [of, type, reason])).toEqual([
      ['ns/m', 'Warning', 'EndorsementKeyContested'],
      ['elsewhere/theirs', 'Warning', 'EndorsementKeyContested'],
    ]);
    expect(told[0]?.message).toMatch(/This Machine keeps it/);
    expect(told[0]?.message).not.toMatch(/elsewhere|theirs/);
    expect(told[1]?.message).toMatch(/no machine can enrol by it here/);
    expect(told[1]?.message).not.toMatch(/ns\/m/);
    expect(lines.join()).toMatch(/ns\/m, elsewhere\/theirs/);
    alarms.contested({ key: KEY, holder: MACHINE, others: [other, more] });
    expect(told).toHaveLength(5);
  });

  it("is told of on each where it is nobody's, and of many on five", () => {
    const others = Array.from({ length: 9 }, (_, at) => machine(`m${at}`));
    alarms.contested({ key: KEY, holder: undefined, others });
    expect(told).toHaveLength(5);
    expect(told[0]?.message).toMatch(/so its machine is none of them/);
  });
});
