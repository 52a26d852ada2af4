import { expect, it } from 'vitest';
import type { EventBody, SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { serialConsole } from './console.ts';
import { EventLogTransport } from './event-log.ts';

const failure = { code: 'Unclassified' as const, cause: 'It "broke".', remedy: 'Look at it.' };
const bodies: EventBody[] = [
  { type: 'fact', name: 'kernel', value: '10.0' },
  { type: 'finding', severity: 'warning', code: 'ClockWrong', message: 'late' },
  { type: 'sequence.ended', sequence: 's', result: 'failed', ms: 3, failure } as EventBody,
];
const events = bodies.map(
  (body, index): SlipwayEvent =>
    ({ ...body, v: 1, seq: index + 1, time: '2026-11-22T00:00:00.000Z', mono: 1, boot: 'b' }) as SlipwayEvent,
);

function windows(exitStatus: number, calls: string[][], ports = '', hasFolder = false): Host {
  const real = createLinuxHost();
  return {
    ...real,
    platform: 'windows',
    env: () => 'C:\\Windows',
    files: { ...real.files, stat: async () => (hasFolder ? real.files.stat('/') : undefined) },
    processes: {
      ...real.processes,
      run: async ({ argv }) => {
        calls.push([...argv]);
        const stdout = argv[0].endsWith('reg.exe') ? ports : '';
        return { exitStatus, stdout, stderr: 'refused', timedOut: false, ms: 1 };
      },
    },
  };
}

it('writes what a person reads into the event log, and its level', async () => {
  const calls: string[][] = [];
  const transport = new EventLogTransport(windows(0, calls));
  expect(await transport.deliver(events, new AbortController().signal)).toBe(3);
  expect(calls.map(([program = '', ...words]) => [program, ...words.slice(4, 8)])).toEqual([
    ['C:\\Windows\\System32\\eventcreate.exe', '/t', 'WARNING', '/id', '6'],
    ['C:\\Windows\\System32\\eventcreate.exe', '/t', 'ERROR', '/id', '2'],
  ]);
  expect(calls.at(-1)?.at(-1)).toContain('BOOTSTRAP FAILED');
});

it('says how far it came where the event log refuses', async () => {
  const transport = new EventLogTransport(windows(1, []));
  expect(await transport.deliver(events, new AbortController().signal)).toBe(1);
  await expect(transport.deliver(events.slice(1), new AbortController().signal)).rejects.toThrow(/refused/);
});

const PORTS = '    \\Device\\Serial0    REG_SZ    COM1\r\n    \\Device\\Serial1    REG_SZ    COM2\r\n';

it.each([
  [PORTS, false, '//./COM1'],
  // Azure shows its second port.
  [PORTS, true, '//./COM2'],
  [PORTS.slice(0, PORTS.indexOf('\n') + 1), true, '//./COM1'],
  ['', true, undefined],
])('takes the serial port that the cloud shows: %j, Azure %s', async (ports, isAzure, device) => {
  expect(await serialConsole(windows(0, [], ports, isAzure))).toBe(device);
});
