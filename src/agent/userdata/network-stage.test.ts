import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import type { NetworkConfig } from '../platform/instance/instance.ts';
import { StepError } from '../tools/step-error.ts';
import { NetworkStage, NetworkUnavailable, type SetUpNetwork } from './network-stage.ts';

let root: string;
beforeEach(() => {
  root = scratch();
});

const config = (address: string, place = 'the seed'): NetworkConfig => ({
  ...{ format: 'cloud-init', place },
  text: `version: 2\nethernets: {eth0: {addresses: [${address}]}}\n`,
});

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** A stage on a machine that notes in which order things happen. */
function stage(setUp?: SetUpNetwork) {
  const order: string[] = [];
  const base = createLinuxHost({ root });
  const client = () => ({
    send: async () => {
      order.push('asked');
      return { status: 200, headers: {}, body: '' };
    },
    close: () => undefined,
  });
  const machine: Host = { ...base, network: { ...base.network, client } };
  const noted = async (settings: NetworkSettings) => {
    order.push(`set up ${settings.links.flatMap(({ addresses }) => addresses)}`);
    await setUp?.(settings);
  };
  return { order, made: new NetworkStage(machine, noted), machine };
}

const ask = ({ host }: NetworkStage, options = {}) =>
  host.network.client(options).send({ method: 'GET', url: 'http://192.0.2.1/', timeoutMs: 1000 });

test('the network is set up once, before the first who asks over it', async () => {
  const { order, made } = stage();
  made.offer(config('10.0.0.5/24'));
  await ask(made, { socketPath: '/dev/lxd/sock' });
  await Promise.all([ask(made), ask(made)]);
  expect(order).toEqual(['asked', 'set up 10.0.0.5/24', 'asked', 'asked']);
  expect((await made.decide(config('10.0.0.5/24'))).settings?.place).toBe('the seed');
});

test('where nothing is said, and in a plan, nobody waits', async () => {
  const { order, made, machine } = stage();
  await ask(made);
  const planned = new NetworkStage(machine);
  planned.offer(config('10.0.0.5/24'));
  await ask(planned);
  expect(order).toEqual(['asked', 'asked']);
});

test('what was fetched over the network does not change it', async () => {
  const { made } = stage();
  await ask(made);
  const { settings, report } = await made.decide(config('10.0.0.5/24'));
  expect(settings).toBeUndefined();
  expect(report).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('was fetched over the network') },
  ]);
});

test('the kernel command line counts before the image, and the image before the source', async () => {
  const of = async () => (await stage().made.decide(config('10.0.0.5/24'))).settings;
  expect((await of())?.place).toBe('the seed');
  put(
    '/etc/cloud/cloud.cfg',
    'system_info: {network: {renderers: [networkd]}}\nnetwork:\n  version: 2\n  ethernets: {a: {dhcp4: true}}\n',
  );
  expect(await of()).toMatchObject({ place: '/etc/cloud/cloud.cfg', renderers: ['networkd'] });
  put('/proc/cmdline', 'quiet ip=dhcp\n');
  expect((await of())?.place).toBe('/etc/cloud/cloud.cfg');
  put(
    '/run/net-ens3.conf',
    "DEVICE='ens3'\nPROTO='none'\nIPV4ADDR='10.0.0.7'\nIPV4NETMASK='255.255.0.0'\nIPV4DNS0='0.0.0.0'\n",
  );
  expect((await of())?.links).toMatchObject([
    { id: 'ens3', addresses: ['10.0.0.7/16'], dns: { servers: [] } },
  ]);
  const line = Buffer.from('version: 2\nethernets: {z: {dhcp4: true}}\n').toString('base64');
  put('/proc/cmdline', `network-config=${line}\n`);
  expect((await of())?.place).toContain('network-config=');
  // A container sees the line of its host.
  put('/run/systemd/container', 'lxc');
  expect((await of())?.place).toBe('/etc/cloud/cloud.cfg');
});

test('what is disabled, or done by cloud-init, stays as it is', async () => {
  put('/etc/cloud/cloud.cfg.d/99-off.cfg', 'network: {config: disabled}\n');
  const off = stage();
  off.made.offer(config('10.0.0.5/24'));
  await ask(off.made);
  expect(off.order).toEqual(['asked']);
  const { settings, report } = await off.made.decide(config('10.0.0.5/24'));
  expect(settings).toBeUndefined();
  expect(report[0]?.message).toContain('99-off.cfg disables network configuration');
  rmSync(join(root, 'etc/cloud'), { recursive: true });
  put('/run/cloud-init/instance-data.json', '{}');
  const done = stage();
  done.made.offer(config('10.0.0.5/24'));
  await ask(done.made);
  expect(done.order).toEqual(['asked']);
  expect(await done.made.decide(config('10.0.0.5/24'))).toEqual({ report: [] });
});

test('a wrong configuration, and one that cannot be, keep everybody from asking', async () => {
  const wrong = stage();
  wrong.made.offer(config('10.0.0.555/24'));
  const failure = await ask(wrong.made).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NetworkUnavailable);
  expect(failure).toMatchObject({ permanent: true, failure: { code: 'UserDataInvalid' } });
  const broken = stage(async () => {
    throw new StepError('NetworkNotConfigured', 'netplan says no');
  });
  broken.made.offer(config('10.0.0.5/24'));
  await expect(ask(broken.made)).rejects.toMatchObject({
    permanent: false,
    failure: { code: 'NetworkNotConfigured', cause: 'Netplan says no.' },
  });
  expect(broken.order).toEqual(['set up 10.0.0.5/24']);
});
