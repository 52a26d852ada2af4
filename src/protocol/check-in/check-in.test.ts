import { expect, it } from 'vitest';
import { readCheckInReply, readCheckInRequest } from './check-in.ts';

const machine = { instance: 'i', hostname: 'h' };
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

it('reads what it knows, and ignores what a later version adds', () => {
  const reply = {
    version: 1,
    wants: 'events',
    checkin: { everySeconds: 300, later: true },
    logs: { size: 1 },
  };
  expect(readCheckInReply(bytes(reply))).toEqual({
    version: 1,
    wants: 'events',
    checkin: { everySeconds: 300 },
  });
  expect(readCheckInReply(bytes({ version: 1, wants: 'nothing' }))).toEqual({ version: 1, wants: 'nothing' });
  const request = { version: 1, machine, told: { seq: 7, later: 1 }, later: [] };
  expect(readCheckInRequest(bytes(request))).toEqual({ version: 1, machine, told: { seq: 7 } });
});

it('refuses what is none', () => {
  for (const wrong of [
    { version: 2, wants: 'nothing' },
    { version: 1 },
    { version: 1, wants: 'everything' },
    { version: 1, wants: 'nothing', checkin: { everySeconds: 0 } },
    { version: 1, wants: 'nothing', checkin: 300 },
  ])
    expect(() => readCheckInReply(bytes(wrong)), JSON.stringify(wrong)).toThrow(
      /version|wants|every|checkin/,
    );
  for (const wrong of [
    { version: 1 },
    { version: 1, machine, told: { seq: -1 } },
    { version: 1, machine, told: 7 },
    { version: 1, machine, token: 'short' },
  ])
    expect(() => readCheckInRequest(bytes(wrong)), JSON.stringify(wrong)).toThrow(
      /machine|seq|told|token|text/,
    );
});
