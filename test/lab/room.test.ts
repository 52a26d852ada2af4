import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../support/tmp/scratch.ts';
import type { Amounts } from './host/capacity.ts';
import { labDir } from './lab-record.ts';
import { type MachineRecord, machineDir, reserveMachine } from './machine/machine-record.ts';
import { self } from './process/process-id.ts';
import { makeRoomFor, type Surroundings } from './room.ts';

/** Enough of all, but for one control plane's memory (900 MB) and no second one. */
const FREE: Amounts = { inotify: 1000, watches: 1e6, memory: 1000, disk: 1e6, processes: 30_000 };

let folder: string;
let told: string[];
let pauses: number;
beforeEach(() => {
  folder = scratch();
  vi.stubEnv('SLIPWAY_LAB_CACHE', folder);
  told = [];
  pauses = 0;
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A machine in the books of a lab of its own, switched on by this process; nothing of it runs. */
async function machine(lab: string, state?: 'booting' | 'off'): Promise<MachineRecord> {
  mkdirSync(labDir(lab), { recursive: true });
  const record = await reserveMachine({ lab, name: 'cp1', role: 'control-plane', cloudInit: false });
  const { pid, start } = self();
  writeFileSync(join(machineDir(lab, 'cp1'), 'supervisor'), `${pid} ${start}`);
  if (state) say(record, state);
  return record;
}

const say = ({ lab, name }: MachineRecord, state: string): void =>
  writeFileSync(join(machineDir(lab, name), 'state'), state);

/** Asks for room on a host whose time passes as it is waited for. */
function room(
  record: MachineRecord,
  { free = () => FREE, whilePausing = () => {}, raiseInotifyLimits = async () => false }: Situation = {},
): Promise<void> {
  const pause = async (): Promise<void> => {
    pauses += 1;
    whilePausing();
  };
  const host = { free, raiseInotifyLimits, now: () => pauses * 1000, pause };
  return makeRoomFor(record, (line) => told.push(line), host);
}

type Situation = Partial<Pick<Surroundings, 'free' | 'raiseInotifyLimits'>> & {
  whilePausing?: () => unknown;
};

describe('room for a machine', () => {
  it('is waited for while another one takes it, which is said once and with what is lacking', async () => {
    const other = await machine('a', 'booting');
    const mine = await machine('b');
    await room(mine, { whilePausing: () => pauses === 3 && say(other, 'off') });
    expect(pauses).toBe(3);
    expect(told).toEqual([
      'waiting until other machines are gone, to have room for "cp1":\n  - 1000 MB of memory are free and 1800 needed',
    ]);
  });

  it('is waited for by whoever comes later, not by whoever came first', async () => {
    const first = await machine('a', 'booting');
    await machine('b', 'booting');
    await room(first);
    expect([pauses, told]).toEqual([0, []]);
  });

  it('is refused after ten minutes, in a sentence', async () => {
    await machine('a', 'booting');
    const mine = await machine('b');
    await expect(room(mine)).rejects.toThrow(
      'this host has no room for the machine "cp1":\n  - 1000 MB of memory are free and 1800 needed',
    );
    expect(pauses).toBe(601);
  });

  it('is refused at once where nobody will go', async () => {
    const mine = await machine('a');
    await expect(room(mine, { free: () => ({ ...FREE, memory: 500 }) })).rejects.toThrow('500 MB');
    expect([pauses, told]).toEqual([0, []]);
  });

  it('is made by higher limits of inotify where that may be, without waiting', async () => {
    const mine = await machine('a');
    let inotify = 10;
    const free = () => ({ ...FREE, inotify });
    const raiseInotifyLimits = async (): Promise<boolean> => {
      inotify = 1024;
      return true;
    };
    await room(mine, { free, raiseInotifyLimits });
    expect([pauses, told, inotify]).toEqual([0, [], 1024]);
    inotify = 10;
    await expect(room(mine, { free })).rejects.toThrow('10 inotify instances are free');
  });
});
