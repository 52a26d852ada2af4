import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBody, SlipwayEvent } from '../../../protocol/events.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { traceparentOf } from '../events/trace.ts';
import { OtlpTransport } from './otlp.ts';

let server: Server;
let base: string;
let got: {
  url: string | undefined;
  type: string | undefined;
  authorization: string | undefined;
  body: unknown;
}[];
let answer: { status: number; body: string };
const log: string[] = [];
let transport: OtlpTransport;
const never = new AbortController().signal;

beforeEach(async () => {
  got = [];
  log.length = 0;
  answer = { status: 200, body: '{}' };
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'content-type': type, authorization } = request.headers;
    got.push({ url: request.url, type, authorization, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(answer.status, { 'retry-after': '3' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { url: `${base}/otel/`, headers: { Authorization: sensitive('Bearer x') } };
  transport = new OtlpTransport(createLinuxHost(), settings, '1.2.3', (line) => log.push(line));
});
afterEach(async () => {
  await transport.close();
  await new Promise((resolve) => server.close(resolve));
});

const machine = { instance: 'i-1', hostname: 'w1', providerID: 'aws:///a/i-1' };
const STEP = { id: 'kubeadm', title: 'kubeadm join' };
const FAILURE = { code: 'ApiServerUnreachable', cause: 'It does not answer.', remedy: 'Look.' };

function event(seq: number, body: EventBody): SlipwayEvent {
  return {
    ...{ v: 1, machine, boot: 'b-1', seq, time: '2026-01-02T03:04:05.678Z', mono: 1 },
    traceparent: traceparentOf(machine.instance, 'b-1', body),
    ...body,
  };
}

const EVENTS = [
  event(1, { type: 'step.started', sequence: 's', step: STEP, attempt: 1 }),
  event(2, {
    ...{ type: 'step.attempt', sequence: 's', step: STEP, attempt: 1, ms: 1500 },
    ...{ failure: FAILURE, retryInMs: 10 },
  }),
  event(3, { type: 'step.ended', sequence: 's', step: STEP, attempt: 2, ms: 250, result: 'done' }),
  event(4, {
    ...{
      type: 'sequence.ended',
      sequence: 's',
      mode: 'bootstrap',
      result: 'failed',
      exitStatus: 1,
      ms: 9000,
    },
    ...{ step: STEP, failure: FAILURE },
  }),
];

interface Request {
  resourceSpans: [
    {
      resource: { attributes: unknown[] };
      scopeSpans: [{ scope: object; spans: Record<string, unknown>[] }];
    },
  ];
}

describe('OtlpTransport', () => {
  it('sends a trace for each bootstrap, a span for each attempt, as opentelemetry-proto has them in JSON', async () => {
    expect(await transport.deliver(EVENTS, never)).toBe(4);
    expect(got).toMatchObject([
      { url: '/otel/v1/traces', type: 'application/json', authorization: 'Bearer x' },
    ]);
    const { body } = got[0] as { body: unknown };
    const [{ resource, scopeSpans }] = (body as Request).resourceSpans;
    expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'slipway' } });
    expect(resource.attributes).toContainEqual({ key: 'host.name', value: { stringValue: 'w1' } });
    const [{ scope, spans }] = scopeSpans;
    expect(scope).toEqual({ name: 'slipway', version: '1.2.3' });
    const [first, second, whole] = spans;
    expect(spans).toHaveLength(3);
    expect(first).toMatchObject({
      ...{ name: 'kubeadm join', kind: 1, status: { code: 2, message: 'It does not answer.' } },
      startTimeUnixNano: '1767323044178000000',
      endTimeUnixNano: '1767323045678000000',
    });
    expect(first?.attributes).toContainEqual({
      key: 'error.type',
      value: { stringValue: 'ApiServerUnreachable' },
    });
    expect(first?.attributes).toContainEqual({ key: 'slipway.attempt', value: { intValue: 1 } });
    expect(second).toMatchObject({ name: 'kubeadm join', status: { code: 1 } });
    expect(whole).toMatchObject({ name: 'bootstrap', startTimeUnixNano: '1767323036678000000' });
    expect(whole).not.toHaveProperty('parentSpanId');
    // One trace; the attempts are children of the whole, and each has an id of its own.
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
    for (const child of [first, second]) expect(child?.parentSpanId).toBe(whole?.spanId);
    for (const { traceId, spanId } of spans)
      expect(`${traceId} ${spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
  });

  it('gives what is sent again the same ids, and asks nobody where nothing has ended', async () => {
    await transport.deliver(EVENTS, never);
    await transport.deliver(EVENTS, never);
    expect(got[0]?.body).toEqual(got[1]?.body);
    expect(await transport.deliver(EVENTS.slice(0, 1), never)).toBe(1);
    expect(got).toHaveLength(2);
  });

  it('tells of spans that a collector rejects, and does not send them again', async () => {
    answer.body = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } });
    expect(await transport.deliver(EVENTS, never)).toBe(4);
    expect(log).toEqual([`otlp: ${new URL(base).host} did not accept all spans: 2 rejected, too old`]);
    answer.body = 'ok';
    expect(await transport.deliver(EVENTS, never)).toBe(4);
  });

  it('tries again when the collector asks for that, and passes over what it refuses', async () => {
    answer.status = 503;
    await expect(transport.deliver(EVENTS, never)).rejects.toMatchObject({ retryAfterMs: 3000 });
    answer.status = 400;
    expect(await transport.deliver(EVENTS, never)).toBe(4);
    expect(log.at(-1)).toMatch(/^otlp: .* refused 4 events with status 400; they are skipped$/);
  });
});
