import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SlipwayEvent } from '../../../protocol/events.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { WebhookTransport } from './webhook.ts';

let server: Server;
let url: string;
let got: { headers: IncomingHttpHeaders; body: unknown }[];
let status: number;
const log: string[] = [];
let transport: WebhookTransport;
const never = new AbortController().signal;

beforeEach(async () => {
  got = [];
  status = 204;
  server = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    answer.writeHead(status, { 'retry-after': '3' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const settings = { url, headers: { Authorization: sensitive('Bearer x') } };
  transport = new WebhookTransport(createLinuxHost(), settings, (line) => log.push(line));
});
afterEach(async () => {
  await transport.close();
  await new Promise((resolve) => server.close(resolve));
});

const event: SlipwayEvent = {
  v: 1,
  machine: { instance: 'i 1', hostname: 'h' },
  boot: 'b-1',
  seq: 7,
  time: '2026-01-02T03:04:05.678Z',
  mono: 1,
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  type: 'heartbeat',
  sequence: 's',
  step: { id: 'kubeadm join', title: 't' },
};

it('sends CloudEvents 1.0 in batched form, with the headers that are set', async () => {
  expect(await transport.deliver([event, { ...event, seq: 8 }], never)).toBe(8);
  expect(got[0]?.headers).toMatchObject({
    'content-type': 'application/cloudevents-batch+json; charset=UTF-8',
    authorization: 'Bearer x',
  });
  expect(got[0]?.body).toEqual([
    {
      specversion: '1.0',
      id: 'b-1/7',
      source: '/slipway/machines/i%201',
      type: 'dev.slipway.heartbeat',
      time: '2026-01-02T03:04:05.678Z',
      subject: 'kubeadm join',
      datacontenttype: 'application/json',
      traceparent: event.traceparent,
      data: event,
    },
    expect.objectContaining({ id: 'b-1/8' }),
  ]);
});

it('tries again what a receiver cannot take now, when it wishes, and passes over what it never will', async () => {
  status = 503;
  await expect(transport.deliver([event], never)).rejects.toMatchObject({ retryAfterMs: 3000 });
  status = 422;
  expect(await transport.deliver([event], never)).toBe(7);
  expect(log.join()).toMatch(/refused 1 events with status 422/);
});
