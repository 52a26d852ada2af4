import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { networkMachine, networkSettings as settings } from '../../../test/support/network-machine.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { type Host, HostError } from '../host/host.ts';
import { StepError } from '../tools/step-error.ts';
import { readNetwork } from '../userdata/network/read-network.ts';
import { applyNetwork } from './apply-network.ts';
import { prepareNetwork } from './prepare-network.ts';

const SIGNAL = new AbortController().signal;
const told: string[] = [];
const TELL = (message: string) => void told.push(message);
let root: string;

beforeEach(() => {
  told.length = 0;
  root = scratch();
  put('/run/systemd/system/.keep');
});

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const machine = (
  programs: string[],
  act: Parameters<typeof networkMachine>[2],
  ...more: [string[]?, string?]
) => networkMachine(root, programs, act, ...more);
const networkdFiles = () => readdirSync(join(root, 'etc/systemd/network'));

test('networkd gets its files, and another time nothing is touched', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host, called } = machine(['systemctl'], ([program], addresses) => {
    if (program === 'networkctl') addresses.push('10.0.0.5/24');
    return 0;
  });
  const first = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL);
  expect(first).toEqual({ done: 'networkd: eth0 10.0.0.5/24', remarks: [] });
  expect(networkdFiles()).toEqual(['10-slipway-eth0.network']);
  expect(called).toEqual(['systemctl is-active --quiet systemd-networkd.service', 'networkctl reload']);
  called.length = 0;
  const again = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL);
  expect(again.done).toBe('networkd: eth0 10.0.0.5/24, as it was');
  expect(called).toEqual([]);
});

test.each([
  ['is activating', 3, ', as it was'],
  ['is up and never gives the address', Number.POSITIVE_INFINITY, ''],
] as const)('while networkd, told before it started, %s, it is let be', async (_, looks, said) => {
  put('/usr/lib/systemd/systemd-networkd');
  const starting = 'Id=systemd-networkd.service\nLoadState=loaded\nActiveState=activating\n';
  const up = 'Id=systemd-networkd.service\nLoadState=loaded\nActiveState=active\n';
  let asked = 0;
  const { host, called } = machine(['systemctl'], ([program, verb], addresses) => {
    if (program !== 'systemctl' || verb !== 'show') return 0;
    asked += 1;
    if (asked === looks) addresses.push('10.0.0.5/24');
    return asked > 6 ? up : starting;
  });
  await prepareNetwork(host, settings('10.0.0.5/24'), SIGNAL);
  called.length = 0;
  const { done } = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL);
  expect(done).toBe(`networkd: eth0 10.0.0.5/24${said}`);
  expect(told).toEqual([
    'waiting for 10.0.0.5/24: the network is still starting (systemd-networkd.service is activating)',
  ]);
  const changes = called.filter((line) => !/ show | is-active /.test(line));
  expect(changes).toEqual(said === '' ? ['networkctl reload'] : []);
});

test('files of an earlier configuration go', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  put('/etc/systemd/network/10-slipway-eth9.network', '[Match]\nName=eth9\n');
  put('/etc/systemd/network/99-dhcp.network', '[Match]\nName=en*\n');
  put('/etc/systemd/network/10-slipway-eth0.network.d/mine.conf', '[Network]\n');
  put('/etc/netplan/60-slipway.yaml.orig');
  const { host } = machine([], (_, addresses) => void addresses.push('10.0.0.5/24'));
  await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL);
  expect(networkdFiles()).toEqual([
    '10-slipway-eth0.network',
    '10-slipway-eth0.network.d',
    '99-dhcp.network',
  ]);
  expect(readdirSync(join(root, 'etc/netplan'))).toEqual(['60-slipway.yaml.orig']);
});

test('an address that does not come is a remark', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host } = machine([], () => 0);
  const { remarks } = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL);
  expect(remarks).toEqual(['The network is set up, and has not come up yet: 10.0.0.5/24.']);
});

test('where the machine loses what it had, all is as before', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const addresses = ['192.0.2.9/24'];
  const { host, called } = machine(
    [],
    ([program], own) => {
      if (program === 'networkctl') own.length = 0;
      return 0;
    },
    addresses,
  );
  await expect(applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL)).rejects.toThrow(
    /had addresses, and has none/,
  );
  expect(networkdFiles()).toEqual([]);
  expect(called.filter((each) => each === 'networkctl reload')).toHaveLength(2);
});

test('netplan gets version 2 as it was given, and its refusal takes the file away', async () => {
  const own = '/etc/netplan/60-slipway.yaml';
  put('/etc/netplan/01-image.yaml', 'network: {version: 2}\n');
  const { host, called } = machine(['netplan', 'nmcli', 'systemctl'], ([, verb]) =>
    verb === 'generate' ? 1 : 0,
  );
  const failure = await applyNetwork(
    host,
    settings('10.0.0.5/24', ', eth1: {critical: true}'),
    SIGNAL,
    TELL,
  ).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StepError);
  expect(failure).toMatchObject({
    code: 'NetworkNotConfigured',
    message: expect.stringContaining('it says no'),
  });
  expect(await host.files.stat(own)).toBeUndefined();
  expect(called).not.toContain('netplan apply');

  const { host: other } = machine(['netplan'], (_, addresses) => void addresses.push('10.0.0.5/24'));
  const { remarks } = await applyNetwork(
    other,
    settings('10.0.0.5/24', ', eth1: {critical: true}'),
    SIGNAL,
    TELL,
  );
  expect(remarks).toEqual([]);
  expect((await other.files.read(own)).toString()).toContain('critical');
  expect((await other.files.stat(own))?.mode).toBe(0o600);
});

test('what was refused gives way to what was there, with its mode', async () => {
  const [own, old] = ['/etc/netplan/60-slipway.yaml', '/etc/systemd/network/10-slipway-eth9.network'];
  put(own, 'network: {version: 2, ethernets: {eth0: {addresses: [192.0.2.9/24]}}}\n');
  put(old, '[Match]\nName=eth9\n');
  chmodSync(join(root, own), 0o600);
  const { host } = machine(['netplan'], ([, verb]) => (verb === 'generate' ? 1 : 0));
  await expect(applyNetwork(host, settings('10.0.0.5/24'), SIGNAL, TELL)).rejects.toThrow('it says no');
  expect((await host.files.read(own)).toString()).toContain('192.0.2.9');
  expect((await host.files.stat(own))?.mode).toBe(0o600);
  expect((await host.files.read(old)).toString()).toContain('eth9');
});

test('a disk that takes no file leaves all as it was', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  put('/etc/systemd/network/10-slipway-eth9.network', '[Match]\nName=eth9\n');
  const { host, called } = machine([], () => 0);
  const full: Host = {
    ...host,
    files: {
      ...host.files,
      writeAll: async () => {
        throw new HostError('no space left on device', 'ENOSPC');
      },
    },
  };
  await expect(applyNetwork(full, settings('10.0.0.5/24'), SIGNAL, TELL)).rejects.toThrow('no space left');
  expect(networkdFiles()).toEqual(['10-slipway-eth9.network']);
  expect(called).toContain('networkctl reload');
});

test('NetworkManager counts where it is enabled, and hears what netplan alone knows', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host, called } = machine(
    ['nmcli', 'systemctl'],
    (_, addresses) => void addresses.push('10.0.0.5/24'),
  );
  const { done, remarks } = await applyNetwork(
    host,
    settings('10.0.0.5/24', ', eth1: {critical: true}'),
    SIGNAL,
    TELL,
  );
  expect(done).toContain('network-manager: eth0 10.0.0.5/24');
  expect(remarks.join()).toContain('ethernets.eth1.critical is for netplan alone');
  expect(called).toContain(
    'nmcli --wait 30 connection up filename /etc/NetworkManager/system-connections/slipway-eth0.nmconnection',
  );
  const { host: off } = machine(['nmcli', 'systemctl'], ([, verb]) => (verb === 'is-enabled' ? 1 : 0));
  expect((await applyNetwork(off, settings('10.0.0.5/24'), SIGNAL, TELL)).done).toContain('networkd: ');
});

test('what the image names decides, and nothing is a failure', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host } = machine(['netplan'], (_, addresses) => void addresses.push('10.0.0.5/24'));
  const named = { ...settings('10.0.0.5/24'), renderers: ['eni', 'networkd', 'netplan'] };
  expect((await applyNetwork(host, named, SIGNAL, TELL)).done).toContain('networkd: ');
  const none = { ...settings('10.0.0.5/24'), renderers: ['eni'] };
  const { host: bare } = machine([], () => 0);
  await expect(applyNetwork(bare, none, SIGNAL, TELL)).rejects.toThrow(
    'nothing that sets up its network: no eni',
  );
  // The kernel has done it: ip= on its command line.
  const { host: done } = machine([], () => 0, ['10.0.0.5/24']);
  expect((await applyNetwork(done, none, SIGNAL, TELL)).done).toBe('eth0 10.0.0.5/24, as it was');
});

/** As netplan 0.106 words it. */
const refusal = (
  key: string,
) => `/etc/netplan/60-slipway.yaml:6:13: Error in network definition: invalid tunnel key '${key}'
      "t0": {
            ^
`;

test.each([
  ['behind the network', applyNetwork],
  ['before it', prepareNetwork],
] as const)('what netplan refuses %s is told without its secrets', async (when, set) => {
  const key = `a-secret-${when.replaceAll(' ', '-')}`;
  const text = `version: 2\ntunnels: {t0: {mode: gre, local: 10.0.0.1, remote: 10.0.0.2, key: ${key}}}\n`;
  const { settings: found } = readNetwork({ format: 'cloud-init', text, place: 'a test' });
  if (found === undefined) throw new Error('the configuration is wrong');
  const { host } = machine(['netplan'], ([program]) => (program === 'netplan' ? 1 : 0), [], refusal(key));
  const refused = await set(host, found, SIGNAL, TELL).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StepError);
  const { message, more } = refused as StepError;
  expect(message).toContain('Error in network definition: invalid tunnel key');
  expect(`${message} ${JSON.stringify(more)}`).not.toContain(key);
});
