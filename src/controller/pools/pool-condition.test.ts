import { describe, expect, it } from 'vitest';
import { type PoolMachine, poolConditionOf } from './pool-condition.ts';

function machine(
  name: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message = `${name} says so.`,
  storedAt = 0,
): PoolMachine {
  return { name, said: { status, reason, message }, storedAt };
}

const good = (name: string): PoolMachine => machine(name, 'True', 'Bootstrapped');

describe('the condition of a MachinePool', () => {
  it('is True when all machines that were heard of bootstrapped', () => {
    expect(poolConditionOf([good('a'), good('b')])).toEqual({
      type: 'slipway.dev/BootstrapSucceeded',
      ...{ status: 'True', reason: 'Bootstrapped', message: '2 machines bootstrapped.' },
    });
    expect(poolConditionOf([good('a')]).message).toBe('1 machine bootstrapped.');
  });

  it('names those that failed, and says of the latest why and what to do', () => {
    const machines = [
      good('c'),
      machine('b', 'False', 'TokenExpired', 'The token has run out. Make another one.', 1),
      machine('a', 'False', 'PortInUse', 'Port 10250 is in use. See what uses it.', 2),
      machine('d', 'Unknown', 'Running'),
    ];
    expect(poolConditionOf(machines)).toMatchObject({
      ...{ status: 'False', reason: 'PortInUse' },
      message:
        '2 of 4 machines failed to bootstrap: a, b. The latest, a: Port 10250 is in use. See what uses it.',
    });
  });

  it('is Unknown while some run; what is wrong with one of them is its reason', () => {
    const machines = [machine('a', 'Unknown', 'Running'), good('b'), machine('c', 'Unknown', 'Waiting')];
    expect(poolConditionOf(machines)).toMatchObject({
      ...{ status: 'Unknown', reason: 'Running' },
      message: '2 of 3 machines still to bootstrap: a (Running), c (Waiting).',
    });
    expect(poolConditionOf([...machines, machine('d', 'Unknown', 'Silent')]).reason).toBe('Silent');
  });

  it('tells of Nodes that are of no use, and stays True', () => {
    const wrong = machine('b', 'True', 'NodeAddressWrong', 'Its Node has no address.');
    expect(poolConditionOf([good('a'), wrong])).toMatchObject({
      ...{ status: 'True', reason: 'NodeAddressWrong' },
      message:
        '2 machines bootstrapped, and something is wrong with the Node of 1: b. The latest, b: Its Node has no address.',
    });
  });

  it('stays short whatever thousands of machines say', () => {
    const many = Array.from({ length: 3_000 }, (_, n) =>
      machine(`m${String(n).padStart(4, '0')}`, 'False', 'X', 'y'.repeat(4_096)),
    );
    const { message } = poolConditionOf(many);
    expect(message).toMatch(/^3000 of 3000 machines failed to bootstrap: m0000, .*, m0004 and 2995 more\. /);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
  });
});
