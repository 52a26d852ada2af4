import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Host, HostError } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { Problem } from '../steps/tools/problem.ts';
import { readNetwork } from '../userdata/network/read-network.ts';
import { applyNetwork } from './apply-network.ts';

const SIGNAL = new AbortController().signal;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-network-'));
  put('/run/systemd/system/.keep');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function settings(address: string, more = '') {
  const text = `version: 2\nethernets: {eth0: {addresses: [${address}]}${more}}\n`;
  const found = readNetwork({ format: 'cloud-init', text, place: 'a test' }).settings;
  if (found === undefined) throw new Error('the configuration is wrong');
  return found;
}

/** A machine whose programs do what `act` says; it has these programs, and files of its own. */
function machine(
  programs: string[],
  act: (argv: readonly string[], addresses: string[]) => number | undefined,
  addresses: string[] = [],
) {
  const called: string[] = [];
  const base = createLinuxHost({ root });
  let now = 0;
  const host: Host = {
    ...base,
    root: '/',
    clock: {
      ...base.clock,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    interfaceAddresses: () => addresses.map((address) => ({ name: 'eth0', address })),
    processes: {
      ...base.processes,
      which: async (name) => (programs.includes(name) ? `/usr/bin/${name}` : undefined),
      run: async ({ argv }) => {
        called.push(argv.join(' '));
        const exitStatus = act(argv, addresses) ?? 0;
        return {
          exitStatus,
          stdout: '',
          stderr: exitStatus === 0 ? '' : 'it says no',
          timedOut: false,
          ms: 1,
        };
      },
    },
  };
  return { host, called };
}

const networkdFiles = () => readdirSync(join(root, 'etc/systemd/network'));

test('networkd gets its files, and another time nothing is touched', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host, called } = machine(['systemctl'], ([program], addresses) => {
    if (program === 'networkctl') addresses.push('10.0.0.5/24');
    return 0;
  });
  const first = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL);
  expect(first).toEqual({ done: 'networkd: eth0 10.0.0.5/24', remarks: [] });
  expect(networkdFiles()).toEqual(['10-slipway-eth0.network']);
  expect(called).toEqual(['systemctl is-active --quiet systemd-networkd.service', 'networkctl reload']);
  called.length = 0;
  const again = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL);
  expect(again.done).toBe('networkd: eth0 10.0.0.5/24, as it was');
  expect(called).toEqual([]);
});

test('files of an earlier configuration go', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  put('/etc/systemd/network/10-slipway-eth9.network', '[Match]\nName=eth9\n');
  put('/etc/systemd/network/99-dhcp.network', '[Match]\nName=en*\n');
  put('/etc/systemd/network/10-slipway-eth0.network.d/mine.conf', '[Network]\n');
  put('/etc/netplan/60-slipway.yaml.orig');
  const { host } = machine([], (_, addresses) => void addresses.push('10.0.0.5/24'));
  await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL);
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
  const { remarks } = await applyNetwork(host, settings('10.0.0.5/24'), SIGNAL);
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
  await expect(applyNetwork(host, settings('10.0.0.5/24'), SIGNAL)).rejects.toThrow(
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
  const failure = await applyNetwork(host, settings('10.0.0.5/24', ', eth1: {critical: true}'), SIGNAL).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({
    code: 'NetworkNotConfigured',
    message: expect.stringContaining('it says no'),
  });
  expect(await host.files.stat(own)).toBeUndefined();
  expect(called).not.toContain('netplan apply');

  const { host: other } = machine(['netplan'], (_, addresses) => void addresses.push('10.0.0.5/24'));
  const { remarks } = await applyNetwork(other, settings('10.0.0.5/24', ', eth1: {critical: true}'), SIGNAL);
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
  await expect(applyNetwork(host, settings('10.0.0.5/24'), SIGNAL)).rejects.toThrow('it says no');
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
  await expect(applyNetwork(full, settings('10.0.0.5/24'), SIGNAL)).rejects.toThrow('no space left');
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
  );
  expect(done).toContain('network-manager: eth0 10.0.0.5/24');
  expect(remarks.join()).toContain('ethernets.eth1.critical is for netplan alone');
  expect(called).toContain(
    'nmcli --wait 30 connection up filename /etc/NetworkManager/system-connections/slipway-eth0.nmconnection',
  );
  const { host: off } = machine(['nmcli', 'systemctl'], ([, verb]) => (verb === 'is-enabled' ? 1 : 0));
  expect((await applyNetwork(off, settings('10.0.0.5/24'), SIGNAL)).done).toContain('networkd: ');
});

test('what the image names decides, and nothing is a failure', async () => {
  put('/usr/lib/systemd/systemd-networkd');
  const { host } = machine(['netplan'], (_, addresses) => void addresses.push('10.0.0.5/24'));
  const named = { ...settings('10.0.0.5/24'), renderers: ['eni', 'networkd', 'netplan'] };
  expect((await applyNetwork(host, named, SIGNAL)).done).toContain('networkd: ');
  const none = { ...settings('10.0.0.5/24'), renderers: ['eni'] };
  const { host: bare } = machine([], () => 0);
  await expect(applyNetwork(bare, none, SIGNAL)).rejects.toThrow('nothing that sets up its network: no eni');
  // The kernel has done it: ip= on its command line.
  const { host: done } = machine([], () => 0, ['10.0.0.5/24']);
  expect((await applyNetwork(done, none, SIGNAL)).done).toBe('eth0 10.0.0.5/24, as it was');
});
