import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { changedLine, grubSettings, withOptions } from './loaders.ts';

const asked = { present: ['quiet', 'a.b=c,d'], absent: ['debug', 'x=1'] };

describe("the kernel's command line", () => {
  it.each([
    ['ro debug root=/dev/a x=1', 'ro root=/dev/a quiet a.b=c,d'],
    ['quiet a.b=c,d', 'quiet a.b=c,d'],
    ['x=12 debugging a.b=c', 'x=12 debugging a.b=c quiet a.b=c,d'],
    ['', 'quiet a.b=c,d'],
    ['n="two words" debug', 'n="two words" quiet a.b=c,d'],
  ])('changes %j as a whole, and only what is asked', (line, changed) => {
    expect(changedLine(line, asked)).toBe(changed);
    expect(changedLine(changed, asked)).toBe(changed);
  });

  it('names an argument once, though it is asked for twice', () => {
    expect(changedLine('', { present: ['a', 'a'], absent: [] })).toBe('a');
  });
});

describe('the settings of GRUB', () => {
  const shell = (before: string, settings: string): string =>
    execFileSync('sh', ['-eu'], {
      input: `${before}\n${settings}\nprintf '%s|%s' "$GRUB_CMDLINE_LINUX" "$GRUB_CMDLINE_LINUX_DEFAULT"`,
      encoding: 'utf8',
    });

  it('change what the files before them have said, whatever that is', () => {
    const before = 'GRUB_CMDLINE_LINUX="debug x=12 glob=*"\nGRUB_CMDLINE_LINUX_DEFAULT="x=1 splash debug"';
    const settings = grubSettings(asked);
    expect(shell(before, settings)).toBe('x=12 glob=* quiet a.b=c,d|splash');
    expect(shell(before, settings + settings)).toBe('x=12 glob=* quiet a.b=c,d|splash');
    const empty = 'GRUB_CMDLINE_LINUX=\nGRUB_CMDLINE_LINUX_DEFAULT=';
    expect(shell(empty, settings)).toBe('quiet a.b=c,d|');
  });

  it('add alone, and take away alone', () => {
    const before = 'GRUB_CMDLINE_LINUX="a b"\nGRUB_CMDLINE_LINUX_DEFAULT=a';
    expect(shell(before, grubSettings({ present: ['c'], absent: [] }))).toBe('a b c|a');
    expect(shell(before, grubSettings({ present: [], absent: ['a', 'b*'] }))).toBe('b|');
  });
});

describe('an entry of systemd-boot', () => {
  it('has one line of options, where the first one was', () => {
    const entry = 'title  X\nlinux  /l\noptions root=/dev/a debug\noptions x=1 ro\ninitrd /i\n';
    const changed = 'title  X\nlinux  /l\noptions root=/dev/a ro quiet a.b=c,d\ninitrd /i\n';
    expect(withOptions(entry, asked)).toBe(changed);
    expect(withOptions(changed, asked)).toBe(changed);
    expect(withOptions('linux /l\n', asked)).toBe('linux /l\noptions quiet a.b=c,d\n');
  });
});
