import { verify, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { becomeNode } from '../../../../test/support/controller/become-node.ts';
import { ReportReceiver } from '../../../../test/support/controller/report-receiver.ts';
import { onDisk } from '../../../../test/support/full-disk.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { Authority } from '../../../pki/authority.ts';
import { nodeProofText, readEnrolRequest } from '../../../protocol/enrolment.ts';
import type { SlipwayEvent } from '../../../protocol/events.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { ControllerSettings } from '../../settings/settings.ts';
import { ControllerTransport } from './controller.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const machine = { instance: 'i-1', hostname: 'node-1' };

let folder: string;
let receiver: ReportReceiver;
let log: string[];
let lost: string[];
/** How much the clock has been put forward. */
let later = 0;
/** How far the wall clock is from the truth. */
let wrongBy = 0;
/** The disk takes no more files. */
let isFull = false;
const open: ControllerTransport[] = [];

beforeEach(async () => {
  folder = scratch();
  receiver = new ReportReceiver();
  receiver.tokens.add(TOKEN);
  await receiver.start();
  log = [];
  lost = [];
  later = 0;
  wrongBy = 0;
  isFull = false;
});
afterEach(async () => {
  for (const transport of open.splice(0)) await transport.close();
  await receiver.stop();
});

function transport(settings: Partial<ControllerSettings> = { token: sensitive(TOKEN) }): ControllerTransport {
  const host = createLinuxHost({ root: folder });
  const made = new ControllerTransport({
    host: {
      ...host,
      files: onDisk(host.files, () => isFull),
      random: () => 0,
      clock: {
        ...host.clock,
        monotonic: () => host.clock.monotonic() + later,
        now: () => new Date(Date.now() + wrongBy),
      },
    },
    settings: { endpoints: [receiver.url], ca: receiver.ca, ...settings },
    machine: () => machine,
    reporter: '1.2.3',
    log: (line) => log.push(line),
    lost: (_, why) => lost.push(why),
  });
  open.push(made);
  return made;
}

function events(from: number, to: number): SlipwayEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    v: 1,
    machine,
    boot: 'b-1',
    seq: from + index,
    time: '2026-01-02T03:04:05.678Z',
    mono: 1,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    type: 'fact',
    name: 'n',
    value: 'x'.repeat(50),
  }));
}

const never = new AbortController().signal;
const at = (name: string) => join(folder, 'var/lib/slipway/identity', name);

describe('enrolment', () => {
  it('exchanges the token for a certificate, keeps it for root alone, and uses it from then on', async () => {
    expect(await transport().deliver(events(1, 40), never)).toBe(40);
    expect(receiver.stored).toHaveLength(40);
    expect(receiver.enrolled).toEqual(['i-1']);
    for (const name of ['client.key', 'client.crt', 'about.json']) {
      expect(statSync(at(name)).mode & 0o777, name).toBe(0o600);
    }
    expect(statSync(at('.')).mode & 0o777).toBe(0o700);
    expect(existsSync(at('pending.json'))).toBe(false);
    // A later process needs no token.
    expect(await transport({}).deliver(events(41, 41), never)).toBe(41);
    expect(receiver.enrolled).toEqual(['i-1']);
    expect(log.join()).not.toContain(TOKEN);
  });

  it('is one for two processes that start together, as the agent and the reporter do', async () => {
    const told = await Promise.all([1, 2].map((seq) => transport().deliver(events(seq, seq), never)));
    expect(told).toEqual([1, 2]);
    expect(receiver.enrolled).toEqual(['i-1']);
  });

  it('does not spend a token in vain when the answer is lost', async () => {
    receiver.mood = ({ path }) => (path === '/v1/enroll' ? { status: 200, cut: true } : undefined);
    await expect(transport().deliver(events(1, 1), never)).rejects.toThrow(/connection was cut/);
    const key = readFileSync(at('pending.json'), 'utf8');
    receiver.mood = () => undefined;
    expect(await transport().deliver(events(1, 1), never)).toBe(1);
    expect(key).toContain(readFileSync(at('client.key'), 'utf8').split('\n')[1]);
  });

  it('removes the file of a spent token, and says in words that a token is not accepted', async () => {
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
    expect(await transport({ tokenFile: '/token' }).deliver(events(1, 1), never)).toBe(1);
    expect(existsSync(join(folder, 'token'))).toBe(false);
    rmSync(join(folder, 'var'), { recursive: true });
    await expect(transport().deliver(events(1, 1), never)).rejects.toThrow(
      /does not accept the enrolment token/,
    );
    await expect(transport({}).deliver(events(1, 1), never)).rejects.toThrow(
      /neither a certificate nor an enrolment token/,
    );
  });

  it('does not use what another instance left (an image made of a running machine)', async () => {
    await transport().deliver(events(1, 1), never);
    writeFileSync(at('about.json'), JSON.stringify({ instance: 'i-0' }));
    await expect(transport({}).deliver(events(2, 2), never)).rejects.toThrow(/neither a certificate/);
  });

  it('renews when two thirds of the life have passed, and goes on with the old one when that fails', async () => {
    receiver.certificateMs = 15 * 60_000;
    const first = transport();
    await first.deliver(events(1, 1), never);
    const before = readFileSync(at('client.crt'), 'utf8');
    later = 9 * 60_000;
    await first.deliver(events(2, 2), never);
    expect(receiver.enrolled).toHaveLength(1);
    // To the second, as both certificates and the Date header have it.
    later = 10 * 60_000 + 2_000;
    receiver.mood = ({ path }) => (path === '/v1/enroll' ? { status: 503 } : undefined);
    expect(await first.deliver(events(3, 3), never)).toBe(3);
    expect(log.join()).toMatch(/could not be renewed/);
    receiver.mood = () => undefined;
    later += 61_000;
    expect(await first.deliver(events(4, 4), never)).toBe(4);
    expect(readFileSync(at('client.crt'), 'utf8')).not.toBe(before);
    expect(receiver.stored.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('renews when it is time whatever its own clock says, and not with every delivery', async () => {
    // Shorter than what the authority backdates by, so the certificate itself looks old at once.
    receiver.certificateMs = 60 * 60_000;
    let seq = 0;
    const deliver = async (settings?: Partial<ControllerSettings>) => {
      seq += 1;
      await transport(settings).deliver(events(seq, seq), never);
    };
    wrongBy = 30 * 86_400_000;
    await deliver();
    for (const hours of [-24, -1, 0, 1, 24]) {
      wrongBy = hours * 3_600_000;
      await deliver({});
    }
    expect(receiver.enrolled).toHaveLength(1);
    later = 41 * 60_000;
    await deliver({});
    expect(receiver.enrolled).toHaveLength(2);
    await deliver({});
    expect(receiver.enrolled).toHaveLength(2);
  });

  it('asks for another one where it is not known how long the one at hand is good for', async () => {
    const before = transport();
    await before.deliver(events(1, 1), never);
    const about = JSON.parse(readFileSync(at('about.json'), 'utf8'));
    const change = (given: object | undefined) =>
      writeFileSync(at('about.json'), JSON.stringify({ ...about, given }));
    // Kept by an earlier version; of a boot before this one, after which the clock went back.
    change(undefined);
    await transport({}).deliver(events(2, 2), never);
    expect(receiver.enrolled).toHaveLength(2);
    change({ ...about.given, boot: 'another', time: Date.now() + 3_600_000 });
    await transport({}).deliver(events(3, 3), never);
    expect(receiver.enrolled).toHaveLength(3);
    change({ ...about.given, boot: 'another', time: Date.now() - 600_000 });
    await transport({}).deliver(events(4, 4), never);
    expect(receiver.enrolled).toHaveLength(3);
  });

  it('lets the controller judge a certificate that seems expired, or of tomorrow, by a wrong clock', async () => {
    await transport().deliver(events(1, 1), never);
    let seq = 1;
    for (const days of [365, -365]) {
      wrongBy = days * 86_400_000;
      seq += 1;
      expect(await transport({}).deliver(events(seq, seq), never)).toBe(seq);
    }
  });

  it('enrols anew when the controller no longer knows it and there is a token', async () => {
    const same = transport();
    await same.deliver(events(1, 1), never);
    receiver.revokeAll();
    receiver.tokens.add(TOKEN);
    await expect(same.deliver(events(2, 2), never)).rejects.toThrow(/does not know this machine/);
    expect(await same.deliver(events(2, 2), never)).toBe(2);
  });

  it('gets on with the token that it has spent and the key that it has', async () => {
    const same = transport();
    await same.deliver(events(1, 1), never);
    receiver.revokeAll();
    await expect(same.deliver(events(2, 2), never)).rejects.toThrow(/does not know this machine/);
    expect(await same.deliver(events(2, 2), never)).toBe(2);
  });

  it('keeps a certificate that is refused for a while, whatever becomes of its token meanwhile', async () => {
    const same = transport();
    await same.deliver(events(1, 1), never);
    // As when the controller's clock stands a week ahead: certificate and token have run out.
    receiver.mood = () => ({ status: 401 });
    const deliver = () => same.deliver(events(2, 2), never);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(deliver()).rejects.toThrow(/does not know this machine/);
    }
    expect(log.join()).toMatch(
      /would produce the same certificate: the controller does not accept the enrolment token/,
    );
    receiver.mood = ({ path }) => (path === '/v1/enroll' ? { status: 401 } : undefined);
    expect(await deliver()).toBe(2);
    expect(receiver.enrolled).toEqual(['i-1']);
    // So does another process.
    expect(await transport({}).deliver(events(3, 3), never)).toBe(3);
  });

  it('enrols and sends where the disk takes nothing', async () => {
    writeFileSync(join(folder, 'var'), 'a file where a directory should be');
    const same = transport();
    expect(await same.deliver(events(1, 1), never)).toBe(1);
    expect(await same.deliver(events(2, 2), never)).toBe(2);
  });

  it('stores the certificate that it got while the disk was full, and keeps the token until then', async () => {
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
    isFull = true;
    const same = transport({ tokenFile: '/token' });
    expect(await same.deliver(events(1, 1), never)).toBe(1);
    expect([existsSync(at('client.crt')), existsSync(join(folder, 'token'))]).toEqual([false, true]);
    isFull = false;
    expect(await same.deliver(events(2, 2), never)).toBe(2);
    expect(existsSync(join(folder, 'token'))).toBe(false);
    // A restart goes on with it.
    expect(await transport({}).deliver(events(3, 3), never)).toBe(3);
    expect(receiver.enrolled).toEqual(['i-1']);
  });

  it('does not renew a certificate while the disk is full, and asks for none then', async () => {
    const same = transport({ token: sensitive(TOKEN) });
    await same.deliver(events(1, 1), never);
    const before = readFileSync(at('client.crt'), 'utf8');
    const used: (string | undefined)[] = [];
    receiver.mood = ({ serial }) => void used.push(serial);
    later = 41 * 60_000;
    isFull = true;
    expect(await same.deliver(events(2, 2), never)).toBe(2);
    expect(log.join()).toMatch(/could not be renewed: .*no space left/);
    // After a restart, the controller sees the same certificate as before.
    expect(await transport({}).deliver(events(3, 3), never)).toBe(3);
    expect(receiver.enrolled).toEqual(['i-1']);
    expect(used).toEqual(Array(2).fill(new X509Certificate(before).serialNumber));
    isFull = false;
    expect(await transport({}).deliver(events(4, 4), never)).toBe(4);
    expect(used.at(-1)).toBe(new X509Certificate(readFileSync(at('client.crt'), 'utf8')).serialNumber);
    expect(receiver.enrolled).toHaveLength(2);
  });
});

describe('enrolment of a machine that is a Node already', () => {
  it('shows that it is that Node when it is asked to, on the connection that asked', async () => {
    const asked: (string | undefined)[] = [];
    receiver.mood = ({ path, body, channel }) => {
      if (path !== '/v1/enroll') return undefined;
      const { node, csr } = readEnrolRequest(body);
      const shown = node && new X509Certificate(node.certificate);
      const isSigned =
        node && shown && verify('sha256', nodeProofText(csr, channel), shown.publicKey, node.signature);
      asked.push(isSigned ? shown.subject : undefined);
      return node
        ? undefined
        : { status: 401, body: { error: 'unauthorized', words: 'late', wants: 'node' } };
    };
    await expect(transport().deliver(events(1, 1), never)).rejects.toThrow(/the controller says: late/);
    becomeNode(folder, 'n1');
    expect(await transport().deliver(events(1, 1), never)).toBe(1);
    expect(asked).toEqual([undefined, undefined, expect.stringContaining('CN=system:node:n1')]);
  });

  it('shows nothing where the kubeconfig is damaged', async () => {
    receiver.mood = () => ({ status: 401, body: { error: 'unauthorized', words: 'late', wants: 'node' } });
    becomeNode(folder, 'n1');
    const path = join(folder, 'etc/kubernetes/kubelet.conf');
    const data = /(?<=client-certificate-data":")[^"]+/;
    writeFileSync(path, readFileSync(path, 'utf8').replace(data, Buffer.from('torn').toString('base64')));
    await expect(transport().deliver(events(1, 1), never)).rejects.toThrow(/the controller says: late/);
  });
});

describe('authorities', () => {
  /** Of an hour's certificate, two thirds have passed. */
  const RENEWAL_MS = 41 * 60_000;

  it('follows the controller through a rotation that its settings do not know of', async () => {
    await transport().deliver(events(1, 1), never);
    receiver.rotate();
    later = RENEWAL_MS;
    await transport({}).deliver(events(2, 2), never);
    expect(statSync(at('authorities.json')).mode & 0o777).toBe(0o600);
    receiver.endOverlap();
    expect(await transport({}).deliver(events(3, 3), never)).toBe(3);
    // The settings name another authority, or another controller: what came by the old ones counts no longer.
    const { certificate } = Authority.create('Another');
    const changed = transport({ ca: certificate });
    await expect(changed.deliver(events(4, 4), never)).rejects.toThrow(/certificate|authority/);
    const elsewhere = transport({ endpoints: [receiver.url, 'https://other.example'] });
    await expect(elsewhere.deliver(events(4, 4), never)).rejects.toThrow(
      /certificate|authority|other.example/,
    );
  });

  it('trusts nobody whom the controller has not named, and no file that is damaged or of another instance', async () => {
    await transport().deliver(events(1, 1), never);
    const file = readFileSync(at('authorities.json'), 'utf8');
    receiver.rotate();
    receiver.endOverlap();
    await expect(transport({}).deliver(events(2, 2), never)).rejects.toThrow(/certificate|authority/);
    const { certificate } = Authority.create('Another');
    const named = { ...JSON.parse(file), authorities: [certificate, 'no certificate'] };
    for (const damaged of ['{', '{}', JSON.stringify(named), JSON.stringify({ ...named, instance: 'i-0' })]) {
      writeFileSync(at('authorities.json'), damaged);
      await expect(transport({}).deliver(events(2, 2), never)).rejects.toThrow(/certificate|authority/);
    }
  });

  it('works on where the controller names what is no certificate', async () => {
    const { ca } = receiver;
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    receiver.named = pem;
    const same = transport();
    expect(await same.deliver(events(1, 1), never)).toBe(1);
    expect(log.join()).toMatch(/cannot save its authorities/);
    receiver.named = `${pem}${ca}`;
    later = RENEWAL_MS;
    expect(await same.deliver(events(2, 2), never)).toBe(2);
    expect(JSON.parse(readFileSync(at('authorities.json'), 'utf8')).authorities).toEqual([ca.trim()]);
    expect(await transport({}).deliver(events(3, 3), never)).toBe(3);
  });
});

describe('delivery', () => {
  it('goes to the next endpoint when one is dead, and stays there', async () => {
    const dead = createTcpServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
    const address = dead.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const endpoints = [`https://localhost:${port}`, receiver.url];
    const same = transport({ endpoints, token: sensitive(TOKEN) });
    expect(await same.deliver(events(1, 5), never)).toBe(5);
    dead.close();
    expect(await same.deliver(events(6, 6), never)).toBe(6);
  });

  it('has what is stored and no more', async () => {
    const same = transport();
    receiver.mood = ({ events: some }) =>
      some.length > 0 ? { status: 200, body: { version: 1, stored: 2 } } : undefined;
    expect(await same.deliver(events(1, 5), never)).toBe(2);
    receiver.mood = () => ({ status: 200, body: { version: 7 } });
    await expect(same.deliver(events(3, 5), never)).rejects.toThrow(/version/);
    receiver.mood = () => ({
      status: 200,
      body: { version: 1, stored: 99, words: 'no Machine has this name' },
    });
    expect(await same.deliver(events(3, 5), never)).toBe(5);
    expect(log).toContain('controller: says: no Machine has this name');
  });

  it('honours Retry-After', async () => {
    const same = transport();
    await same.deliver(events(1, 1), never);
    receiver.mood = () => ({ status: 429, headers: { 'retry-after': '7' }, body: { error: 'slow-down' } });
    await expect(same.deliver(events(2, 2), never)).rejects.toMatchObject({ retryAfterMs: 7000 });
  });

  it('sends nothing to a server without TLS 1.3', async () => {
    const { certificate, privateKey } = Authority.create('Old');
    const pair = new Authority(certificate, privateKey).server(['localhost'], 60_000);
    const old = createServer({ ...pair, maxVersion: 'TLSv1.2' }, (_, answer) => answer.writeHead(200).end());
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const endpoints = [`https://localhost:${(old.address() as AddressInfo).port}`];
    const settings = { endpoints, ca: certificate, token: sensitive(TOKEN) };
    await expect(transport(settings).deliver(events(1, 1), never)).rejects.toThrow(/does not speak TLS 1.3/);
    await new Promise((resolve) => old.close(resolve));
  });

  it.each([
    [400, 'bad-request'],
    [413, 'too-large'],
    [422, 'unprocessable'],
  ])('finds the one event that is refused for good (%i), passes over it and tells', async (status, error) => {
    const same = transport();
    receiver.mood = ({ events: some }) =>
      some.some(({ seq }) => seq === 5) ? { status, body: { error } } : undefined;
    let reached = 0;
    while (reached < 9) reached = await same.deliver(events(reached + 1, 9), never);
    expect(receiver.stored.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(lost).toEqual([`the controller refused an event of type fact: ${error}`]);
  });
});
