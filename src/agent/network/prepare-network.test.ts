import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { networkMachine, networkSettings } from '../../../test/support/network-machine.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { prepareNetwork } from './prepare-network.ts';

const SIGNAL = new AbortController().signal;
const DIRECTORY = 'etc/systemd/network';
const OLD = `${DIRECTORY}/10-slipway-eth9.network`;
let root: string;

beforeEach(() => {
  root = scratch();
  for (const path of ['run/systemd/system/.keep', 'usr/lib/systemd/systemd-networkd', OLD]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '[Match]\nName=eth9\n');
  }
});

test('networkd gets its files before it starts, and is enabled and started', async () => {
  const { host, called } = networkMachine(root, ['systemctl'], () => 0);
  expect(await prepareNetwork(host, networkSettings('10.0.0.5/24'), SIGNAL)).toEqual([
    'written for networkd: eth0 10.0.0.5/24',
  ]);
  expect(readdirSync(join(root, DIRECTORY))).toEqual(['10-slipway-eth0.network']);
  expect(called).toEqual([
    'systemctl enable systemd-networkd.service',
    'systemctl start --no-block systemd-networkd.service',
  ]);
  // What somebody wrote into it since is put back.
  const path = join(root, DIRECTORY, '10-slipway-eth0.network');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, `${text}DNS=192.0.2.1\n`);
  await prepareNetwork(host, networkSettings('10.0.0.5/24'), SIGNAL);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test.each(['enable', 'start'])(
  'where networkd is masked (%s fails), the files are as before',
  async (verb) => {
    const { host } = networkMachine(root, ['systemctl'], (argv) => (argv[1] === verb ? 1 : 0));
    await expect(prepareNetwork(host, networkSettings('10.0.0.5/24'), SIGNAL)).rejects.toThrow('it says no');
    expect(readdirSync(join(root, DIRECTORY))).toEqual(['10-slipway-eth9.network']);
  },
);
