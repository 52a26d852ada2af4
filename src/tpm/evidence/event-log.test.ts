import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALG } from '../wire/constants.ts';
import { readBootLog, replay, secureBoot } from './event-log.ts';

/** Of a virtual machine with UEFI (OVMF), swtpm and Linux 6.1, which was started without a boot loader. */
const recorded: { log: string; pcrs: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/boot-log.json'), 'utf8'),
);
const bytes = Buffer.from(recorded.log, 'base64');
/** Where the first event after the head begins. */
const FIRST_EVENT = 32 + bytes.readUInt32LE(28);

describe('the boot log of a machine', () => {
  const log = readBootLog(bytes);

  it('gives the registers that its TPM had', () => {
    const values = [...replay(log, ALG.sha256)];
    expect(values.map(([pcr]) => pcr).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9]);
    for (const [pcr, value] of values) expect(Buffer.from(value).toString('hex')).toBe(recorded.pcrs[pcr]);
  });

  it('says what it measured about secure boot, and only what its digest proves', () => {
    expect(secureBoot(log)).toBe(false);
    const lied = log.events.map((event) => {
      const data = Buffer.from(event.data);
      if (event.pcr === 7 && data.toString('utf16le').includes('SecureBoot')) data[data.length - 1] = 1;
      return { ...event, data };
    });
    expect(secureBoot({ ...log, events: lied })).toBeUndefined();
  });

  it('is refused when it is cut off anywhere but between two events', () => {
    const ends = new Set<number>();
    for (let length = 0; length < bytes.length; length += 1) {
      try {
        readBootLog(bytes.subarray(0, length));
        ends.add(length);
      } catch (error) {
        expect(error).toMatchObject({ name: 'MalformedError' });
      }
    }
    expect(ends.size).toBe(log.events.length);
    expect(Math.min(...ends)).toBe(FIRST_EVENT);
  });

  it('has no digests of a bank that its head does not name', () => {
    expect(() => replay(log, ALG.sha384)).toThrow(/does not have this bank/);
  });

  it('does not claim more than there is', () => {
    const claims = (at: number, value: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy.writeUInt32LE(value, at);
      return copy;
    };
    // Size of the head, number of banks, digests of the first event.
    for (const at of [28, 56, FIRST_EVENT + 8]) expect(() => readBootLog(claims(at, 0x7fffffff))).toThrow();
    expect(() => readBootLog(Buffer.alloc(2 * 1024 * 1024))).toThrow(/too large/);
  });
});
