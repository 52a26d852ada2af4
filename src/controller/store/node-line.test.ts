import { expect, it } from 'vitest';
import type { NodeSpec } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { lineOf } from './node-line.ts';

const SPEC: NodeSpec = {
  ...{ instance: 'i', hostname: 'h', keyDigest: 'd' },
  enrolment: { method: 'pool-token', at: 'now', selector: { owner: 'MachinePool/pool' } },
};

function tiedBy(spec: NodeSpec): string {
  const counts = { epoch: 0, seq: 0, writes: 0, storedAt: 0 };
  return lineOf({ namespace: 'ns', name: 'n', spec, summary: newSummary(), ...counts }, 0).tiedBy;
}

it("shows the MachinePool of a pool's machine that has no Machine", () => {
  expect(tiedBy(SPEC)).toBe('MachinePool/pool');
});

it('shows how the Machine was found where there is one', () => {
  expect(tiedBy({ ...SPEC, machine: { name: 'm', uid: 'u', by: 'providerID' } })).toBe('providerID');
});

it.each([undefined, { owner: 'MachineDeployment/workers' }, { cluster: 'c' }])(
  'shows nothing where the token names no MachinePool: %j',
  (selector) => {
    const enrolment = { method: 'pool-token', at: 'now', ...(selector && { selector }) };
    expect(tiedBy({ ...SPEC, enrolment })).toBe('');
  },
);
