import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { OtlpTransport } from '../transports/otlp.ts';
import { createLog } from './log.ts';

it('writes what a receiver says as one harmless line', async () => {
  const errorMessage = `\u001b]0;owned\u0007\nslipway: BOOTSTRAP SUCCEEDED \u202e${'x'.repeat(20_000)}`;
  const server = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify({ partialSuccess: { rejectedSpans: 1, errorMessage } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lines: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const log = createLog((line) => lines.push(line));
  const transport = new OtlpTransport(createLinuxHost(), { url, headers: {} }, '1.2.3', log);
  try {
    const head = { v: 1, machine: { instance: 'i', hostname: 'w' }, boot: 'b', seq: 1, mono: 1 } as const;
    const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const ended = { type: 'sequence.ended', sequence: 's', mode: 'bootstrap' } as const;
    await transport.deliver(
      [
        {
          ...{ ...head, time: '2026-01-02T03:04:05.678Z', traceparent: trace },
          ...{ ...ended, result: 'succeeded', exitStatus: 0, ms: 1 },
        },
      ],
      new AbortController().signal,
    );
  } finally {
    await transport.close();
    await new Promise((resolve) => server.close(resolve));
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('1 rejected');
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines[0]?.length).toBeLessThanOrEqual(1000);
});
