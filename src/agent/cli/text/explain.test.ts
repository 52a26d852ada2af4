import { describe, expect, it } from 'vitest';
import { type Code, codes } from '../../../protocol/codes/codes.ts';
import { explain, explainAsJson, isCode } from './explain.ts';

describe('explain', () => {
  it.each(Object.keys(codes()))('%s', (code) => {
    const row = codes()[code as Code];
    const text = explain(code).replace(/\s+/g, ' ');
    expect(text).toContain(code);
    for (const part of [row.meaning, row.impact, row.fix, row.check, row.cure.why])
      expect(text).toContain(part.replace(/\s+/g, ' '));
  });

  it.each(['NotKnownToMakeANode', 'KernelSettingMended', 'NodeLeftAsItIs'])(
    'does not say that Slipway stops for a finding: %s',
    (code) => {
      expect(explain(code)).toMatch(/only a finding[\s\S]*Slipway\s+continues\.$/);
      expect(explain(code)).not.toContain('stops at once');
      expect(explain('KubeadmConfigInvalid')).toContain('Slipway stops at once');
    },
  );

  it('shows the four parts and who cures it, wrapped', () => {
    const lines = explain('EtcdDataUnusable').split('\n');
    const labels = lines.flatMap((line) => /^ {2}(\S.{14})/.exec(line)?.[1]?.trim() ?? []);
    expect(labels).toEqual(['Meaning', 'Impact', 'How to fix it', 'How to check', 'Who cures it', 'Retried']);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(explain('TokenExpired')).toContain('Another machine from the same template.');
  });

  it('fits a terminal of 60 columns', () => {
    for (const code of Object.keys(codes()))
      expect(
        explain(code, 60)
          .split('\n')
          .filter((line) => line.length > 60 && !/\S{42,}/.test(line)),
      ).toEqual([]);
  });

  it('names cause and remedy for programs as outcome.json does', () => {
    const { meaning, fix } = codes().TokenUnknown;
    expect(JSON.parse(explainAsJson('TokenUnknown'))).toMatchObject({
      code: 'TokenUnknown',
      cause: meaning,
      remedy: fix,
      cure: { who: 'cluster' },
    });
  });

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
