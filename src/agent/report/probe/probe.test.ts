import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { becomeNode } from '../../../../test/support/controller/become-node.ts';
import { ReportReceiver } from '../../../../test/support/controller/report-receiver.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { Authority } from '../../../pki/authority.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { ControllerTransport } from '../transports/controller.ts';
import { probe } from './probe.ts';

const TOKEN = 'abcdef.0123456789abcdef';
let folder: string;
let receiver: ReportReceiver;
/** How far this machine's clock is from the truth. */
let wrongBy: number;

beforeEach(async () => {
  folder = scratch();
  receiver = new ReportReceiver();
  receiver.tokens.add(TOKEN);
  await receiver.start();
  wrongBy = 0;
  put('/var/lib/cloud/data/instance-id', 'i-1\n');
});
afterEach(() => receiver.stop());

function put(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content, { mode: 0o600 });
}

interface Wanted {
  endpoints?: string[];
  ca?: string;
  token?: string;
}

function settings({ endpoints = [receiver.url], ca = receiver.ca, token }: Wanted = {}): void {
  put(
    '/etc/slipway/config.yaml',
    `report:\n  controller:\n    endpoints: ${JSON.stringify(endpoints)}\n` +
      (token === undefined ? '' : `    token: ${token}\n`) +
      `    ca: |\n${ca.replace(/^/gm, '      ')}\n`,
  );
}

function host(): Host {
  const real = createLinuxHost({ root: folder });
  return {
    ...real,
    hostname: () => 'node-1',
    clock: { ...real.clock, now: () => new Date(Date.now() + wrongBy) },
  };
}

async function enrol(): Promise<void> {
  const transport = new ControllerTransport({
    host: host(),
    settings: { endpoints: [receiver.url], ca: receiver.ca, token: sensitive(TOKEN) },
    machine: () => ({ instance: 'i-1', hostname: 'node-1' }),
    ...{ reporter: '1', log: () => undefined, lost: () => undefined },
  });
  await transport.deliver(
    [
      {
        ...{ v: 1, machine: { instance: 'i-1', hostname: 'node-1' }, boot: 'b', seq: 1, mono: 1 },
        ...{ time: '2026-01-02T03:04:05Z', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
        ...{ type: 'fact', name: 'n', value: 'v' },
      },
    ],
    new AbortController().signal,
  );
  await transport.close();
}

/** Everything on the machine, with its content and times. */
const state = () =>
  execFileSync('sh', ['-c', 'find . -type f -printf "%p %T@ " -exec md5sum {} \\; | sort'], {
    cwd: folder,
  }).toString();

async function tried(): Promise<{ works: boolean; steps: string[]; last: string; all: string }> {
  const results: { ok: boolean; step: string; text: string }[] = [];
  const before = state();
  const works = await probe({ host: host(), version: '1', tell: (result) => results.push(result) });
  expect(state()).toBe(before);
  return {
    works,
    steps: results.map(({ ok, step }) => `${ok ? '' : '!'}${step}`),
    last: results.at(-1)?.text ?? '',
    all: results.map(({ text }) => text).join('\n'),
  };
}

const WAY = ['settings', 'name', 'route', 'TLS'];

describe('what works', () => {
  it('is told step by step, by the certificate where there is one', async () => {
    await enrol();
    settings();
    const { works, steps, all } = await tried();
    expect([works, steps]).toEqual([true, [...WAY, 'certificate']]);
    expect(all).toMatch(/^(?:::1|127\.0\.0\.1) accepts the connection$/m);
    expect(all).toMatch(/knows this machine, until 2\d{3}-.*Z$/);
    expect(receiver.checkedIn).toEqual([undefined]);
  });

  it('is a token that would do, which is not spent', async () => {
    settings({ token: TOKEN });
    for (let time = 0; time < 2; time += 1)
      expect(await tried()).toMatchObject({ works: true, steps: [...WAY, 'token'] });
    expect(receiver.enrolled).toEqual([]);
  });

  it('is one endpoint of several, and each is told', async () => {
    await enrol();
    settings({ endpoints: ['https://localhost:1', receiver.url] });
    const { works, steps } = await tried();
    expect([works, steps]).toEqual([
      true,
      ['settings', 'name', '!route', 'name', 'route', 'TLS', 'certificate'],
    ]);
  });

  it('is a machine whose certificate counts no longer, where its token does', async () => {
    await enrol();
    receiver.revokeAll();
    receiver.tokens.add(TOKEN);
    settings({ token: TOKEN });
    expect(await tried()).toMatchObject({ works: true, steps: [...WAY, '!certificate', 'token'] });
  });

  it('is told with a clock that is off', async () => {
    await enrol();
    settings();
    wrongBy = -10 * 60_000;
    expect((await tried()).all).toMatch(/this machine's clock is (?:10m|9m) \d+s behind the controller's/);
  });
});

describe('what does not', () => {
  it('begins with the settings', async () => {
    expect(await tried()).toMatchObject({ works: false, steps: ['!settings'] });
    put('/etc/slipway/config.yaml', 'report:\n  enabled: false\n');
    expect((await tried()).last).toMatch(/switched off. Set report.enabled: true/);
    put('/etc/slipway/config.yaml', 'report:\n  controller:\n    endpoints: [http://plain.example]\n');
    const { works, steps } = await tried();
    expect([works, steps[0]]).toEqual([false, '!settings']);
  });

  it('is a name that nobody knows', async () => {
    settings({ endpoints: ['https://slipway.invalid'], token: TOKEN });
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([false, ['settings', '!name']]);
    expect(last).toMatch(/DNS.*getent hosts slipway\.invalid/);
  });

  it('is a port that nobody listens at', async () => {
    settings({ endpoints: ['https://localhost:1'], token: TOKEN });
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([false, ['settings', 'name', '!route']]);
    expect(last).toMatch(/connection refused.*firewall.*port 1\b/);
  });

  it('is another authority, another name, or no TLS at all', async () => {
    settings({ ca: Authority.create('Another').certificate, token: TOKEN });
    const foreign = await tried();
    expect([foreign.works, foreign.steps]).toEqual([false, ['settings', 'name', 'route', '!TLS']]);
    expect(foreign.last).toMatch(/slipway-controller ca/);
    settings({ endpoints: [receiver.url.replace('localhost', '127.0.0.1')], token: TOKEN });
    expect((await tried()).last).toMatch(/for another name. Start the controller with --name 127\.0\.0\.1/);
    const plain = createServer((socket) => {
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    settings({ endpoints: [`https://localhost:${(plain.address() as AddressInfo).port}`], token: TOKEN });
    const { steps, last } = await tried();
    expect(steps.at(-1)).toBe('!TLS');
    expect(last).toMatch(/does not speak TLS/);
    plain.close();
  });

  it('is a certificate that the controller does not know, and no proof to get another by', async () => {
    await enrol();
    receiver.revokeAll();
    settings();
    const { works, steps, all } = await tried();
    expect([works, steps]).toEqual([false, [...WAY, '!certificate', '!token']]);
    expect(all).toMatch(/NodeBootstrap was deleted/);
    receiver.mood = () => ({
      status: 403,
      body: { error: 'forbidden', words: 'It was quarantined.', reason: 'NodeQuarantined' },
    });
    expect((await tried()).all).toMatch(/It was quarantined. \(slipway explain NodeQuarantined\)/);
  });

  it('is a token that counts no longer, with the reason where the controller gives one', async () => {
    settings({ token: 'another.0123456789abcdef' });
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([false, [...WAY, '!token']]);
    expect(last).toMatch(/does not accept the enrolment token.*token create/);
    receiver.mood = () => ({
      status: 401,
      body: { error: 'unauthorized', words: 'The token has ended.', reason: 'TokenEnded' },
    });
    expect((await tried()).last).toMatch(/The token has ended\. \(slipway explain TokenEnded\)/);
  });

  it.each([
    [429, /too many requests to the controller from here; try again/],
    [503, /cannot answer now: it is busy, or the Cluster is paused; try again/],
    [500, /answers with status 500/],
  ])(
    'is a controller that answers a token with status %i, which says nothing of the token',
    async (status, why) => {
      settings({ token: TOKEN });
      receiver.mood = () => ({ status, body: { error: 'unavailable' } });
      const { works, steps, last } = await tried();
      expect([works, steps]).toEqual([false, [...WAY, '!token']]);
      expect(last).toMatch(why);
      expect(last).not.toMatch(/token create/);
    },
  );

  it('is a token of a Machine that has its Node already, until the kubelet has a certificate', async () => {
    settings({ token: TOKEN });
    receiver.mood = () => ({
      status: 401,
      body: { error: 'unauthorized', words: 'The Machine has its Node already.', wants: 'node' },
    });
    const without = await tried();
    expect([without.works, without.steps]).toEqual([false, [...WAY, '!token']]);
    expect(without.last).toMatch(
      /its Node already\. The kubelet of this machine has no certificate to present/,
    );
    expect(without.last).not.toMatch(/token create/);
    becomeNode(folder, 'n1');
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([true, [...WAY, 'token']]);
    expect(last).toMatch(/together with that Node's kubelet certificate.*presents it when it enrols/);
  });

  it('is a machine that has nothing to show', async () => {
    settings();
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([false, [...WAY, '!token']]);
    expect(last).toMatch(/no certificate yet.*set report\.controller\.token, tokenFile or tpm/);
  });

  it('is a TPM that is not there; a token beside it is no fallback', async () => {
    settings();
    put('/etc/slipway/config.d/tpm.yaml', 'report:\n  controller:\n    tpm: true\n');
    const { works, steps, last } = await tried();
    expect([works, steps]).toEqual([false, [...WAY, '!TPM']]);
    expect(last).toMatch(/^there is no \/dev\/tpmrm0\. \(slipway explain Tpm\w+\)$/);
  });

  it('is a controller that cannot be asked, or has no time', async () => {
    await enrol();
    settings();
    receiver.mood = () => ({ status: 404, body: { error: 'not-found' } });
    expect((await tried()).all).toMatch(/does not support this test/);
    receiver.mood = () => ({ status: 429, body: { error: 'slow-down' } });
    expect(await tried()).toMatchObject({ works: false });
  });
});
