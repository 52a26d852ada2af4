import { describe, expect, it } from 'vitest';
import type { TpmChannel } from '../channel.ts';
import { readProperties } from './capabilities.ts';
import { call } from './packet.ts';
import { readPcrs } from './read-pcrs.ts';
import { EMPTY_PASSWORD } from './session.ts';

/** A TPM that gives these answers in turn, the last one for ever. */
function answering(...answers: string[]): TpmChannel & { sent: Buffer[] } {
  const sent: Buffer[] = [];
  return {
    sent,
    async transmit(command) {
      sent.push(Buffer.from(command));
      return Buffer.from((answers.length > 1 ? answers.shift() : answers[0]) ?? '', 'hex');
    },
    pause: async () => undefined,
    close: async () => undefined,
  };
}

describe('call', () => {
  it('sends the same bytes again while the TPM is busy', async () => {
    const tpm = answering('80010000000a00000922', '80010000000a0000090a', '80010000000a00000000');
    await call(tpm, { command: 'flushContext', rest: Buffer.alloc(4) });
    expect(tpm.sent.map((bytes) => bytes.toString('hex'))).toEqual(
      Array(3).fill('80010000000e0000016500000000'),
    );
  });

  it('gives up on one that stays busy', async () => {
    await expect(call(answering('80010000000a00000922'), { command: 'unseal' })).rejects.toMatchObject({
      refusal: 'busy',
    });
  });

  it("takes off the layer of the kernel's resource manager", async () => {
    await expect(call(answering('80010000000a000b0143'), { command: 'unseal' })).rejects.toMatchObject({
      code: 0x143,
    });
  });

  it.each([
    ['nothing', ''],
    ['half a head', '80010000'],
    ['a length of parameters that is not there', '80020000001300000000ffffffff000000'],
    ['no session where one was asked for', '80020000000e0000000000000000'],
    ['bytes after the sessions', '800200000014000000000000000000000100000000'],
  ])('refuses %s', async (_, answer) => {
    const request = { command: 'quote', sessions: [EMPTY_PASSWORD] } as const;
    await expect(call(answering(answer), request)).rejects.toMatchObject({ name: 'MalformedError' });
  });
});

describe('answers that claim too much', () => {
  const head = (body: string): string =>
    `8001${(10 + body.length / 2).toString(16).padStart(8, '0')}00000000${body}`;

  it('end with an error and not with a full memory', async () => {
    const endless = head(`00${'00000006'}${'ffffffff'}`);
    await expect(readProperties(answering(endless))).rejects.toThrow(/more than allowed/);
    const banks = head(`00000000ffffffff`);
    await expect(readPcrs(answering(banks), { bank: 11, pcrs: [0] })).rejects.toThrow(/too many/);
  });

  it('end with an error where the registers never stand still or are not there', async () => {
    const none = head(`00000001${'00000001'}000b03000000${'00000000'}`);
    await expect(readPcrs(answering(none), { bank: 11, pcrs: [0] })).rejects.toThrow(/does not have/);
  });

  it('end with an error where one register is given over and over again', async () => {
    const value = `0020${'00'.repeat(32)}`;
    const first = head(`00000001${'00000001'}000b03010000${'00000001'}${value}`);
    await expect(readPcrs(answering(first), { bank: 11, pcrs: [0, 1] })).rejects.toThrow(/does not have/);
  });
});

it('takes a TPM in failure mode for what it is, and not for one that is locked out', async () => {
  // As libtpms answers then: one property each, and the second with words of no meaning.
  const failed = answering(
    '80010000001b0000000001000000060000000100000105004d4249',
    '80010000001b000000000000000006000000010000020000163636',
  );
  await expect(readProperties(failed)).rejects.toThrow(/failure mode/);
});
