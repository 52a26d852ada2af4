import { describe, expect, it } from 'vitest';
import type { Verdict } from './row.ts';
import { grownSizes } from './size-baseline.ts';

const sizeOf = (what: string, value: number): Verdict => ({
  what,
  value,
  goal: 1e9,
  direction: 'most',
  unit: 'bytes',
});

describe('grownSizes', () => {
  const baseline = { binary: 100_000_000, bundle: 400_000 };

  it('lets five per cent pass, and everything smaller', () => {
    expect(grownSizes([sizeOf('binary', 105_000_000), sizeOf('bundle', 1)], baseline)).toEqual([]);
  });

  it('names what has grown more, by how much, and what to do', () => {
    expect(grownSizes([sizeOf('binary', 105_000_001), sizeOf('bundle', 500_000)], baseline)).toEqual([
      'binary: 105.0 MB is 5.0 % over the accepted 100.0 MB; find out why, or accept it with npm run bench -- size --accept',
      'bundle: 0.500 MB is 25.0 % over the accepted 0.400 MB; find out why, or accept it with npm run bench -- size --accept',
    ]);
  });

  it('does not let a size pass that nobody has accepted', () => {
    expect(grownSizes([sizeOf('other', 1)], baseline)).toHaveLength(1);
  });
});
