import { describe, expect, it } from 'vitest';
import { type Code, codes } from '../../../protocol/codes/codes.ts';
import { explain, isCode } from './explain.ts';

describe('explain', () => {
  it.each(Object.keys(codes()))('%s', (code) => {
    const row = codes()[code as Code];
    const text = explain(code);
    expect(text).toContain(code);
    expect(text).toContain(row.cause);
    expect(text).toContain(row.remedy);
  });

  it.each(['NotKnownToMakeANode', 'KernelSettingMended', 'NodeLeftAsItIs'])(
    'does not say that Slipway stops for a finding: %s',
    (code) => {
      expect(explain(code)).toMatch(/a finding .*Slipway goes on\.$/);
      expect(explain(code)).not.toContain('stops');
      expect(explain('KubeadmConfigInvalid')).toContain('Slipway stops at once');
    },
  );

  it('does not mind letter case', () => {
    expect(explain('tokenunknown')).toBe(explain('TokenUnknown'));
    expect(isCode('TOKENUNKNOWN')).toBe(true);
  });

  it('names what is near to an unknown code', () => {
    expect(explain('TokenUnknwon')).toMatch(/no code "TokenUnknwon".*Did you mean TokenUnknown/);
    expect(explain('CaHash')).toContain('CaHashMismatch');
    expect(explain('zzzzzzzzzzzzzzzz')).not.toContain('Did you mean');
    expect(explain('x'.repeat(1_000_000)).length).toBeLessThan(300);
    expect(explain('constructor')).toContain('no code');
  });
});
