import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { loadSettings, SettingsSource } from './load-settings.ts';
import { DEFAULT_SETTINGS, describeProblem } from './settings.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = scratch();
  env = {};
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function host(): Host {
  return { ...createLinuxHost({ root: folder }), env: (name) => env[name] };
}

async function load() {
  const { settings, problems } = await loadSettings(host());
  return { settings, problems: problems.map(describeProblem) };
}

describe('settings', () => {
  it('are the defaults where nothing is given, and send nothing over a network then', async () => {
    expect(await load()).toEqual({ settings: DEFAULT_SETTINGS, problems: [] });
    put('/proc/cmdline', 'BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n');
    put('/etc/slipway/config.yaml', '# nothing\n');
    expect(await load()).toEqual({ settings: DEFAULT_SETTINGS, problems: [] });
  });

  it('come from the image, the machine, drop-ins by name, and the kernel; the later wins, one by one', async () => {
    put(
      '/usr/lib/slipway/config.yaml',
      'report: {idleTimeout: 10m, console: off, controller: {endpoints: ["https://image"]}}',
    );
    put(
      '/etc/slipway/config.yaml',
      'machine: {providerID: "x:///1"}\nreport: {console: /dev/ttyS1, hyperv: on}',
    );
    put(
      '/etc/slipway/config.d/20-b.yaml',
      'report: {controller: {endpoints: ["https://b"], tokenFile: /token}}',
    );
    put(
      '/etc/slipway/config.d/10-a.yml',
      'report: {controller: {endpoints: ["https://a"], noProxy: x, proxy: "http://p"}}',
    );
    put('/etc/slipway/config.d/ignored.txt', 'report: {enabled: false}');
    put('/etc/slipway/config.d/.hidden.yaml', 'report: {enabled: false}');
    put(
      '/proc/cmdline',
      'quiet slipway.report.vmware=off slipway.report.journal slipway.report.idleTimeout=90s console=ttyS0\n',
    );
    const { settings, problems } = await load();
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      providerID: 'x:///1',
      idleSeconds: 90,
      console: '/dev/ttyS1',
      hyperv: 'on',
      vmware: 'off',
      journal: 'on',
      controller: {
        endpoints: ['https://b'],
        tokenFile: '/token',
        proxy: { https: 'http://p', http: 'http://p', except: 'x' },
      },
    });
  });

  it('name one way to enrol: a layer that says how takes the place of all that was said before', async () => {
    put(
      '/usr/lib/slipway/config.yaml',
      'report: {controller: {endpoints: ["https://image"], tpm: true, kubelet: true}}',
    );
    put('/etc/slipway/config.yaml', 'report: {controller: {token: 0123456789abcdef01}}');
    put('/etc/slipway/config.d/80-managed.yaml', 'report: {controller: {tokenFile: /token}}');
    const { controller } = (await load()).settings;
    expect(controller).toMatchObject({ endpoints: ['https://image'], tokenFile: '/token', kubelet: true });
    expect(controller).not.toHaveProperty('token');
    expect(controller).not.toHaveProperty('tpm');
  });

  it('of the kernel line may name lists, in quotes too, but no secrets', async () => {
    put(
      '/proc/cmdline',
      'slipway.report.controller.endpoints="https://a, https://b:1" slipway.report.controller.token=0123456789abcdef01',
    );
    const { settings, problems } = await load();
    expect(settings.controller).toMatchObject({ endpoints: ['https://a', 'https://b:1'] });
    expect(settings.controller).not.toHaveProperty('token');
    expect(problems).toEqual([
      'kernel command line:1:62: controller: token must not be set here, where every user of the machine can read it; name a file instead',
    ]);
  });

  it('that are not known or wrong are named with file, line and column; the others hold', async () => {
    put(
      '/etc/slipway/config.yaml',
      `report:
  colour: red
  idleTimeout: soon
  console: maybe
  nodeTimeout: 5m
  controller:
    endpoints: [http://a, https://u:p@b, https://ok]
    token: short
    ca: none
    tokenFile: token
  webhook:
    url: ftp://x
    headers: {"bad name": x, X-Good: y}
slippway: 1
`,
    );
    const { settings, problems } = await load();
    expect(settings.nodeSeconds).toBe(300);
    expect(settings.idleSeconds).toBe(DEFAULT_SETTINGS.idleSeconds);
    expect(settings.controller).toEqual({ endpoints: ['https://ok'] });
    expect(settings.webhook).toBeUndefined();
    const file = '/etc/slipway/config.yaml';
    for (const expected of [
      `${file}:2:3: warning: report: colour is not known; it is ignored.`,
      `${file}:3:16: report: idleTimeout must be a duration such as 90s, 15m or 1h30m`,
      `${file}:4:12: report: console must be true or false, not a string.`,
      `${file}:7:16: controller: endpoints must be a URL that begins with https:// without a user name or password`,
      `${file}:8:12: controller: token must be 16 to 256 characters without spaces`,
      `${file}:9:9: controller: ca must contain PEM certificates; for a file, use caFile`,
      `${file}:10:16: controller: tokenFile must be an absolute path`,
      `${file}:12:10: webhook: url must be a URL that begins with https:// or http:// without a user name or password`,
      `${file}:14:1: warning: the configuration: slippway is not known; it is ignored.`,
      'configuration: report.webhook has no usable url; nothing is sent there',
    ]) {
      expect(problems).toContain(expected);
    }
  });

  it('in a file that is no YAML are passed over; other files hold', async () => {
    put('/etc/slipway/config.yaml', 'report: {journal: on');
    put('/etc/slipway/config.d/a.yaml', '- a list');
    put('/etc/slipway/config.d/b.yaml', 'report: {hyperv: on}');
    const { settings, problems } = await load();
    expect(settings.hyperv).toBe('on');
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^\/etc\/slipway\/config.yaml:1:\d+: /);
    expect(problems[1]).toBe('/etc/slipway/config.d/a.yaml:1:1: the configuration must be a mapping.');
  });

  it('never trust the well-known authorities because a file is missing', async () => {
    put('/etc/slipway/config.yaml', 'report: {controller: {endpoints: ["https://a"], caFile: /ca.pem}}');
    const { settings, problems } = await load();
    expect(settings.controller).toBeUndefined();
    expect(problems).toEqual(['configuration: caFile: reading /ca.pem: no such file or directory']);
    put('/ca.pem', PEM);
    expect((await load()).settings.controller).toEqual({ endpoints: ['https://a'], ca: PEM });
  });

  it('hold secrets that do not show', async () => {
    put(
      '/etc/slipway/config.yaml',
      'report: {controller: {endpoints: ["https://a"], token: 0123456789abcdef01}, webhook: {url: "https://w", headers: {Authorization: Bearer hidden}}}',
    );
    const { settings } = await load();
    expect(settings.controller?.token?.reveal()).toBe('0123456789abcdef01');
    expect(settings.webhook?.headers.Authorization?.reveal()).toBe('Bearer hidden');
    expect(JSON.stringify(settings)).not.toMatch(/0123456789abcdef01|hidden/);
  });

  it('of a collector are those of a webhook, by the name that OpenTelemetry has for its URL', async () => {
    put(
      '/etc/slipway/config.yaml',
      'report: {otlp: {endpoint: "https://c:4318", headers: {Authorization: Bearer hidden}, url: x}}',
    );
    const { settings, problems } = await load();
    expect(settings.otlp).toMatchObject({ url: 'https://c:4318' });
    expect(settings.otlp?.headers.Authorization?.reveal()).toBe('Bearer hidden');
    expect(problems).toEqual([
      '/etc/slipway/config.yaml:1:86: warning: otlp: url is not known; it is ignored.',
    ]);
    put('/etc/slipway/config.yaml', 'report: {otlp: {endpoint: "https://c:4318", caFile: /ca.pem}}');
    put('/ca.pem', PEM);
    chmodSync(join(folder, 'ca.pem'), 0o666);
    expect((await load()).settings.otlp).toBeUndefined();
  });

  it('take the proxy of the environment where they name none', async () => {
    put(
      '/etc/slipway/config.yaml',
      'report: {controller: {endpoints: ["https://a"]}, webhook: {url: "https://w", proxy: "http://own"}}',
    );
    env = { https_proxy: 'http://env:3128', NO_PROXY: '.local' };
    const { settings } = await load();
    expect(settings.controller?.proxy).toEqual({ https: 'http://env:3128', except: '.local' });
    expect(settings.webhook?.proxy).toEqual({ https: 'http://own', http: 'http://own' });
  });
});

it('a source tells of changes only, and of files that come late', async () => {
  const source = new SettingsSource(host());
  expect(await source.poll()).toBeDefined();
  expect(await source.poll()).toBeUndefined();
  put('/etc/slipway/config.d/a.yaml', 'report: {controller: {endpoints: ["https://a"], caFile: /ca.pem}}');
  expect((await source.poll())?.settings.controller).toBeUndefined();
  put('/ca.pem', PEM);
  expect((await source.poll())?.settings.controller?.ca).toBe(PEM);
  expect(await source.poll()).toBeUndefined();
});

it('uses no file that others than root can change, and says so with its code', async () => {
  put('/etc/slipway/config.yaml', 'report: {idleTimeout: 7m}\n');
  put('/etc/slipway/config.d/10.yaml', 'report: {idleTimeout: 8m}\n');
  put('/etc/slipway/token', 'pl4nted-pl4nted-pl4nted\n');
  chmodSync(join(folder, 'etc/slipway/config.d/10.yaml'), 0o666);
  const { settings, problems } = await load();
  expect(settings.idleSeconds).toBe(420);
  expect(problems.join()).toMatch(/written by others than root.*ConfigFileUnsafe/);
  chmodSync(join(folder, 'etc/slipway/token'), 0o666);
  put(
    '/etc/slipway/config.yaml',
    'report: {controller: {endpoints: ["https://a"], tokenFile: /etc/slipway/token}}\n',
  );
  const other = await load();
  expect(other.settings.controller).toBeUndefined();
  expect(other.problems.join()).toMatch(/tokenFile is not used.*ConfigFileUnsafe/);
});
