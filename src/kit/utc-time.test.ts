import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utcTime } from './utc-time.ts';

describe('utcTime', () => {
  it('is the time as toISOString gives it', () => {
    const range = { min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (time) => {
        expect(utcTime(time)).toBe(time.toISOString());
      }),
    );
    for (const end of Object.values(range)) expect(utcTime(end)).toBe(end.toISOString());
  });
});
