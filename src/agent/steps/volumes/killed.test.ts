import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { ArrayEntry, EncryptionEntry } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import type { Shared } from '../kind/shared.ts';
import { makeArrays } from './arrays.ts';
import { encryptDevices } from './encrypt.ts';
import { VolumeMachine } from './fixtures/volume-machine.ts';

const ARRAY: ArrayEntry = {
  ...{ name: 'data', path: '/dev/md/data', level: 'raid1', devices: ['/dev/vdb', '/dev/vdc'], spares: 0 },
  options: [],
};
const PLAIN = { options: [], openOptions: [], discard: false, wipe: false };
const CLEVIS = { pin: 'sss', config: '{}', asks: [], needsNetwork: true, isTried: true };
const GIVEN: EncryptionEntry = {
  ...{ ...PLAIN, name: 'given', device: '/dev/vdd', key: { content: sensitive(Buffer.from('a key')) } },
};
const BOUND: EncryptionEntry = { ...PLAIN, name: 'bound', device: '/dev/vde', clevis: CLEVIS };
const MADE: EncryptionEntry = { ...PLAIN, name: 'made', device: '/dev/vde' };

let machine: VolumeMachine;
beforeEach(() => {
  machine = new VolumeMachine();
});
afterEach(() => machine.remove());

async function make(
  host: Host,
  arrays: ArrayEntry[],
  volumes: EncryptionEntry[],
  doneOtherwise = false,
): Promise<StepResult> {
  const context: StepContext = {
    ...{ host, attempt: 1, interrupted: false, doneOtherwise, signal: new AbortController().signal },
    remainingMs: () => 60_000,
    progress: async () => undefined,
    finding: async () => undefined,
    output: () => undefined,
  };
  const shared = {} as Shared;
  const made = await makeArrays({ entries: arrays }, shared).run(context);
  if (!made.done) return made;
  return encryptDevices({ entries: volumes, fetching: { authorities: [] } }, shared).run(context);
}

function end(): unknown {
  const plain = (uuid: string | undefined) => (uuid === undefined ? undefined : 'U');
  const uuidOf = (path: string) => machine.devices.get(path)?.uuid ?? 'none';
  const crypttab = machine
    .text('/etc/crypttab')
    .replaceAll(uuidOf('/dev/vdd'), 'D')
    .replaceAll(uuidOf('/dev/vde'), 'E');
  expect(uuidOf('/dev/vdb')).toBe(uuidOf('/dev/vdc'));
  return {
    up: [...machine.up].sort(),
    crypttab,
    devices: [...machine.devices].map(([path, { type, uuid, slots }]) => [
      path,
      type,
      plain(uuid),
      slots?.map((slot) => (slot.length > 100 ? slot === machine.text('/etc/luks/made') : slot)),
    ]),
  };
}

const again = (volumes: EncryptionEntry[], array = ARRAY) => make(machine.host().host, [array], volumes);

describe.each([
  ['a volume with a given key and one that clevis opens', [GIVEN, BOUND]],
  ['a volume whose key is made', [GIVEN, MADE]],
])('an array, %s', (_, volumes) => {
  it('come to the same end wherever the agent was killed, and stay then', async () => {
    const { host, calls } = machine.host();
    expect(await make(host, [ARRAY], volumes)).toMatchObject({ done: true });
    const wanted = end();
    const all = calls();
    expect(all).toBeGreaterThan(20);
    for (let diesAt = 1; diesAt <= all; diesAt += 1) {
      machine.remove();
      machine = new VolumeMachine();
      const { host: mortal, dead } = machine.host(diesAt);
      await Promise.race([make(mortal, [ARRAY], volumes), dead]);
      const last = machine.called.at(-1);
      expect(await again(volumes), `killed at call ${diesAt}: ${last}`).toMatchObject({ done: true });
      expect(end(), `killed at call ${diesAt}: ${last}`).toEqual(wanted);
      machine.called.length = 0;
      expect(await again(volumes)).toMatchObject({ done: true });
      expect(machine.called.join('\n')).not.toMatch(/--create|luksFormat|bind|wipefs/);
    }
  }, 900_000);
});

it('is opened and assembled after a reboot', async () => {
  await again([GIVEN, BOUND]);
  const wanted = end();
  machine.up.clear();
  rmSync(join(machine.root, 'run'), { recursive: true, force: true });
  expect(await again([GIVEN, BOUND])).toMatchObject({ done: true });
  expect(end()).toEqual(wanted);
});

it('has its name though a link of that name was left', async () => {
  const leave = () => {
    mkdirSync(join(machine.root, 'dev/md'), { recursive: true });
    symlinkSync('../md127', join(machine.root, 'dev/md/data'));
  };
  leave();
  expect(await again([GIVEN])).toMatchObject({ done: true });
  machine.up.clear();
  leave();
  expect(await again([GIVEN])).toMatchObject({ done: true });
  expect([...machine.up.keys()].sort()).toEqual(['/dev/mapper/given', '/dev/md/data']);
});

it.each(['/dev/vdc', '/dev/vdd'])('lets be what somebody else has on %s', async (path) => {
  machine.devices.set(path, { type: 'ext4', uuid: 'theirs' });
  expect(await again([GIVEN])).toMatchObject({ done: false, failure: { code: 'DiskLeftAlone' } });
  expect(machine.devices.get(path)).toEqual({ type: 'ext4', uuid: 'theirs' });
});

it.each([
  ['--uuid=0a0b', '--metadata=0.90'],
  ['--uuid', '0a0b'],
])('takes the UUID and metadata that the options give (%s %s)', async (...options) => {
  const array = { ...ARRAY, options };
  const volume = { ...GIVEN, options: ['--uuid', 'f00d'] };
  expect(await again([volume], array)).toMatchObject({ done: true });
  expect(machine.devices.get('/dev/vdb')?.uuid).toBe('0a0b');
  expect(machine.text('/etc/crypttab')).toContain('given UUID=f00d ');
  expect(await again([volume], array)).toMatchObject({ done: true });
});

describe('user data that ask otherwise for a volume that they wiped a device for', () => {
  it('do not take the data of this machine with it', async () => {
    const wiping = { ...MADE, wipe: true };
    const { host } = machine.host();
    expect(await make(host, [ARRAY], [wiping])).toMatchObject({ done: true });
    machine.called.length = 0;
    const told = await make(machine.host().host, [ARRAY], [{ ...wiping, label: 'other' }], true);
    expect(told).toMatchObject({
      failure: { code: 'DiskLeftAlone', cause: expect.stringContaining('otherwise') },
    });
    expect(machine.called.join('\n')).not.toMatch(/luksFormat|wipefs|luksClose/);
    expect(await make(machine.host().host, [ARRAY], [wiping], true)).toMatchObject({ done: true });
  });
});
