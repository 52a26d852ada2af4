import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_LOG_BYTES } from '../../protocol/attestation.ts';
import { encodeCompactLog, readCompactLog } from '../../tpm/evidence/compact-log.ts';
import { type BootEvent, type BootLog, readBootLog, replay } from '../../tpm/evidence/event-log.ts';
import { ALG } from '../../tpm/wire/constants.ts';
import { BootLogExplainer } from './boot-log-explainer.ts';

/** Of a virtual machine with UEFI (OVMF), swtpm and Linux 6.1. */
const recorded: { log: string; pcrs: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tpm/evidence/fixtures/boot-log.json'), 'utf8'),
);
const log = readBootLog(Buffer.from(recorded.log, 'base64'));
const signed = new Map(
  Object.entries(recorded.pcrs).map(([pcr, value]) => [Number(pcr), Buffer.from(value, 'hex')]),
);

/** A boot in which one event was another one; the registers are as it leaves them. */
function changed(change: (events: BootEvent[]) => BootEvent[]): BootLogExplainer {
  const other: BootLog = { ...log, events: change([...log.events]) };
  return new BootLogExplainer(
    encodeCompactLog(other, MAX_LOG_BYTES),
    new Map([...signed, ...replay(other, ALG.sha256)]),
  );
}

function event(pcr: number, data: string, type = 13): BootEvent {
  return { pcr, type, digests: new Map([[ALG.sha256, Buffer.alloc(32, 9)]]), data: Buffer.from(data) };
}

describe('the boot log that a proof carries', () => {
  it('leads to the same registers as the whole one', () => {
    const carried = encodeCompactLog(log, MAX_LOG_BYTES) ?? Buffer.alloc(0);
    expect(replay(readCompactLog(carried), ALG.sha256)).toEqual(replay(log, ALG.sha256));
    expect(carried.length).toBeLessThan(2048);
  });

  it('has room for a thousand events of a boot loader only without them, and for a thousand of the firmware never', () => {
    const many = (pcr: number) => ({
      ...log,
      events: [...log.events, ...Array.from({ length: 1000 }, () => event(pcr, 'grub_cmd: linux'))],
    });
    const kept = encodeCompactLog(many(8), MAX_LOG_BYTES) ?? Buffer.alloc(0);
    expect(kept.length).toBeLessThanOrEqual(MAX_LOG_BYTES);
    expect([...replay(readCompactLog(kept), ALG.sha256).keys()].some((pcr) => pcr > 7)).toBe(false);
    expect(encodeCompactLog(many(4), MAX_LOG_BYTES)).toBeUndefined();
  });

  it('is refused when it is cut off anywhere but between two events, or of another version', () => {
    const carried = encodeCompactLog(log, MAX_LOG_BYTES) ?? Buffer.alloc(0);
    let whole = 0;
    for (let length = 0; length < carried.length; length += 1) {
      try {
        readCompactLog(carried.subarray(0, length));
        whole += 1;
      } catch (error) {
        expect(error).toMatchObject({ name: 'MalformedError' });
      }
    }
    expect(whole).toBe(readCompactLog(carried).events.length);
    expect(() => readCompactLog(Buffer.of(2))).toThrow(/another version/);
  });
});

describe('what is told of a register that differs', () => {
  const before = new BootLogExplainer(encodeCompactLog(log, MAX_LOG_BYTES), signed).measured;

  it('explains what the log leads to, and nothing else', () => {
    expect(Object.keys(before ?? {})).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '9']);
    const lied = new BootLogExplainer(encodeCompactLog(log, MAX_LOG_BYTES), new Map([[4, Buffer.alloc(32)]]));
    expect(lied.measured).toBeUndefined();
    expect(lied.tell(4, before)).toBe(', which its boot log does not explain');
    expect(new BootLogExplainer(undefined, signed).tell(4, before)).toBe('');
    expect(new BootLogExplainer(Buffer.alloc(100), signed).tell(4, before)).toBe('');
  });

  it('names the first event that is another one, is new, or is missing', () => {
    const at = log.events.findIndex(({ pcr, type }) => pcr === 4 && type === 0x80000003);
    const total = log.events.filter(({ pcr }) => pcr === 4).length;
    const other = changed((events) =>
      events.map((one, i) => (i === at ? { ...one, digests: event(4, '').digests } : one)),
    );
    expect(other.tell(4, before)).toMatch(
      new RegExp(`^, because of event \\d of ${total}: EV_EFI_BOOT_SERVICES_APPLICATION`),
    );
    const longer = changed((events) => [...events, event(4, 'a\u001b[31m\u202eb\0c')]);
    expect(longer.tell(4, before)).toBe(
      `, because of event ${total + 1} of ${total + 1}: EV_IPL "a [31m b", which was not there`,
    );
    const last = log.events.findLastIndex(({ pcr }) => pcr === 4);
    const shorter = changed((events) => events.filter((_, i) => i !== last));
    expect(shorter.tell(4, before)).toBe(', because its last event is not there');
  });

  it('lists what was measured where nothing is known of an earlier boot', () => {
    expect(new BootLogExplainer(encodeCompactLog(log, MAX_LOG_BYTES), signed).tell(4, undefined)).toMatch(
      /^, from EV_\w+.*EV_SEPARATOR/,
    );
  });
});
