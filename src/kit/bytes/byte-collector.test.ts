import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteCollector } from './byte-collector.ts';

it('has all pieces in their order, of whatever sizes, and again after they were taken', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 12 })), (rounds) => {
      const gathered = new ByteCollector();
      for (const sizes of rounds) {
        const parts = sizes.map((size, at) => Buffer.alloc(size, at + 1));
        for (const part of parts) gathered.add(part);
        const whole = Buffer.concat(parts);
        expect(gathered.size).toBe(whole.length);
        expect(gathered.take().equals(whole)).toBe(true);
        expect(gathered.size).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});
