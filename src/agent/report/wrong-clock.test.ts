import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { Authority } from '../../pki/authority.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { createDraft } from './events/draft.ts';
import { createLog } from './events/log.ts';
import { Pump } from './pump.ts';
import { Spool } from './spool/spool.ts';
import { WebhookTransport } from './transports/webhook.ts';

const DAY_MS = 86_400_000;
const made = Authority.create('Test');
const authority = new Authority(made.certificate, made.privateKey);
/** Certificates are made valid from a day before, for a machine whose clock is behind by less. */
const validFrom = (time: number, forMs: number) => authority.server(['localhost'], forMs, time + DAY_MS);

let folder: string;
let host: Host;
let server: Server;
let pump: Pump;
let log: string[];

beforeEach(() => {
  folder = scratch();
  // The longest pause of a second is that of a minute in small.
  const real = createLinuxHost({ root: folder });
  const sleep = (ms: number, signal?: AbortSignal) => real.clock.sleep(Math.min(ms, 100), signal);
  host = { ...real, clock: { ...real.clock, sleep } };
  log = [];
});
afterEach(async () => {
  await pump.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function report(certificate: { cert: string; key: string }): Promise<void> {
  server = createServer(certificate, (_, answer) => answer.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const say = createLog((line) => log.push(line));
  const spool = await Spool.open(host, () => ({ instance: 'i', hostname: 'h' }));
  const transport = new WebhookTransport(host, { url, headers: {}, ca: made.certificate }, say);
  pump = await Pump.open({ host, spool, transport, log: say, instance: 'i' });
  pump.start();
  await spool.add([await createDraft(host, { type: 'fact', name: 'a', value: 'b' })]);
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("a machine whose clock is not its receiver's", () => {
  it('says that its clock is probably behind, tries again, and goes on by itself when it is right', async () => {
    // What it sees is what it would see of a clock that is set right later: a certificate that is not valid yet, and is.
    const from = Math.floor(Date.now() / 1000) * 1000 + 3.5 * DAY_MS;
    await report(validFrom(from, DAY_MS));
    await until(() => log.length > 0);
    const valid = `from ${new Date(from).toISOString().replace('.000Z', 'Z')} to `;
    expect(log[0]).toMatch(/^webhook: localhost:\d+: its certificate is valid from /);
    expect(log[0]).toContain(valid);
    expect(log[0]).toMatch(
      /which by this machine's clock begins in 3 days: the clock is probably behind \(timedatectl\); retrying$/,
    );
    server.setSecureContext(validFrom(Date.now(), DAY_MS));
    await until(() => pump.isDone);
    expect(log.at(-1)).toBe('webhook: works again');
  });

  it('says when a certificate has ended, once for all attempts', async () => {
    await report(validFrom(Date.now() - 10 * DAY_MS, DAY_MS));
    await until(() => pump.failures > 4);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatch(
      /its certificate was valid from \S+Z to \S+Z, which by this machine's clock ended 8 days ago: renew it, or set the clock if that is ahead \(timedatectl\); retrying$/,
    );
  });
});
