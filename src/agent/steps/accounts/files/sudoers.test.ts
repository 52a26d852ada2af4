import { describe, expect, it } from 'vitest';
import { withInclude, withRules } from './sudoers.ts';

describe('withRules', () => {
  it('adds the rules of a user once', () => {
    const once = withRules(undefined, 'ann', ['ALL=(ALL) ALL', 'ALL=NOPASSWD: /bin/ls']);
    expect(once).toMatch(
      /^# .*\n\n# User rules for ann\nann ALL=\(ALL\) ALL\nann ALL=NOPASSWD: \/bin\/ls\n$/,
    );
    expect(withRules(once, 'ann', ['ALL=(ALL) ALL', 'ALL=NOPASSWD: /bin/ls'])).toBe(once);
  });

  it('keeps the rules that are there', () => {
    const present = '# image\n\n# User rules for bob\nbob ALL=(ALL) ALL\n';
    expect(withRules(present, 'ann', ['ALL'])).toBe(`${present}\n# User rules for ann\nann ALL\n`);
  });

  it('does not take the rules of a longer name for these', () => {
    const present = withRules(undefined, 'ann', ['ALL=/bin/ls /tmp']);
    expect(withRules(present, 'ann', ['ALL=/bin/ls'])).toContain('ann ALL=/bin/ls\n');
  });
});

describe('withInclude', () => {
  it.each(['@includedir /etc/sudoers.d', '#includedir /etc/sudoers.d/', '  @includedir "/etc/sudoers.d"'])(
    'knows %s',
    (line) => {
      const text = `Defaults env_reset\n${line}\n`;
      expect(withInclude(text)).toBe(text);
    },
  );

  it('adds the directory where it is missing', () => {
    for (const text of [
      '',
      'root ALL=(ALL) ALL',
      '@includedir /etc/other\n',
      '# includedir /etc/sudoers.d\n',
    ]) {
      const added = withInclude(text);
      expect(added.startsWith(text)).toBe(true);
      expect(added).toMatch(/\n#includedir \/etc\/sudoers\.d\n$/);
      expect(withInclude(added)).toBe(added);
    }
  });
});
