import { describe, expect, it } from 'vitest';
import { checkAddress } from './machine-record.ts';

describe('checkAddress', () => {
  it.each(['10.99.0.11', '10.99.255.254', '10.99.1.1'])('takes %s', (ip) => {
    expect(() => checkAddress(ip, new Set())).not.toThrow();
  });

  it.each(['10.99.0.1', '10.99.0.0', '10.99.0.255', '10.99.256.1', '10.98.0.11', '10.99.0', 'x', ''])(
    'refuses "%s"',
    (ip) => {
      expect(() => checkAddress(ip, new Set())).toThrow(/no address for a machine/);
    },
  );

  it('refuses an address that is taken', () => {
    expect(() => checkAddress('10.99.0.11', new Set(['10.99.0.11']))).toThrow(/another machine/);
  });
});
