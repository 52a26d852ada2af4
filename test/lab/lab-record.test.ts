import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  hostBoot,
  inUse,
  labDir,
  labGroup,
  labIds,
  machineNames,
  newLabId,
  readRecord,
  USER_LAB,
  writeRecord,
} from './lab-record.ts';
import { self } from './process/process-id.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-record-'));
  vi.stubEnv('SLIPWAY_LAB_CACHE', dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

const dead = () => ({ ...self(), start: self().start - 1 });

describe('inUse', () => {
  const record = { id: 'x', owner: self(), holder: self(), hostBoot: hostBoot() };

  it('goes by the owner, and for a lab of a person by the switch', () => {
    expect(inUse(record)).toBe(true);
    expect(inUse({ ...record, owner: dead() })).toBe(false);
    expect(inUse({ ...record, owner: null })).toBe(true);
    expect(inUse({ ...record, owner: null, holder: dead() })).toBe(false);
  });

  it('knows that nothing survives a restart of the host, whatever numbers processes have now', () => {
    expect(inUse({ ...record, hostBoot: 'another' })).toBe(false);
  });
});

it('keeps what it writes, and finds nothing where nothing is', async () => {
  const id = newLabId(self(), 1);
  expect(await readRecord(id)).toBeUndefined();
  expect(await machineNames(id)).toEqual([]);
  await mkdir(join(labDir(id), 'machines/cp1'), { recursive: true });
  const record = { id, owner: self(), holder: self(), hostBoot: hostBoot() };
  await writeRecord(record);
  expect(await readRecord(id)).toEqual(record);
  expect(await labIds()).toEqual([id]);
  expect(await machineNames(id)).toEqual(['cp1']);
});

it('gives the lab of a person in another cache another control group', () => {
  const here = labGroup(USER_LAB);
  vi.stubEnv('SLIPWAY_LAB_CACHE', '/elsewhere');
  expect(labGroup(USER_LAB)).not.toBe(here);
  expect(labGroup('a-b-1')).toBe('slipway-lab-a-b-1');
});
