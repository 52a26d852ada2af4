import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../program.ts';

describe('help', () => {
  let printed = '';
  beforeEach(() => {
    printed = '';
    const take = (text: string | Uint8Array) => {
      printed += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(take);
    vi.spyOn(process.stderr, 'write').mockImplementation(take);
  });
  afterEach(() => vi.restoreAllMocks());

  const ask = async (...words: string[]) => {
    printed = '';
    const status = await run(words);
    return { status, printed };
  };
  const commands = async () =>
    [...(await ask('--help')).printed.matchAll(/^ {2}([a-z]+)(?: \[options\])?(?: [[<].*[\]>])? {2,}/gm)].map(
      ([, name = '']) => name,
    );

  it('of the program names every command under a heading, and ends with status 0', async () => {
    const { status, printed: text } = await ask('--help');
    expect(status).toBe(0);
    expect(text).not.toMatch(/^(Commands|More):$/m);
    expect(await commands()).toEqual(
      expect.arrayContaining(['bootstrap', 'plan', 'status', 'explain', 'install', 'version', 'licenses']),
    );
    expect((await ask()).printed).toBe(text);
  });

  it('fits into 80 columns and has no blank line at its end', async () => {
    for (const words of [[], ...(await commands()).map((name) => [name])]) {
      const { status, printed: text } = await ask(...words, '--help');
      expect(status).toBe(0);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(text).toMatch(/\S\n$/);
    }
  });

  it('of preflight promises no image, which has no kernel and no services to check', async () => {
    const { printed: text } = await ask('preflight', '--help');
    expect(text).not.toMatch(/machine or image|^ {2}--root/m);
    expect(text).toMatch(/it has no\s+--root\. For an image, boot a machine from it/);
    expect((await ask('preflight', '--root', '/mnt')).status).toBe(2);
  });

  it('shows examples whose commands and options exist', async () => {
    const names = await commands();
    let examples = 0;
    for (const name of names) {
      const { printed: text } = await ask(name, '--help');
      const shown = text.split('Examples:')[1] ?? '';
      for (const [, command = '', rest = ''] of shown.matchAll(/^ {2}(?:.*\| )?slipway ([a-z]+)(.*)$/gm)) {
        examples += 1;
        expect(command).toBe(name);
        for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(text).toMatch(`  ${flag} `);
      }
    }
    expect(examples).toBeGreaterThan(10);
  });

  it('is named after a mistake, the one of the command that was meant', async () => {
    expect(await ask('plan', '--bogus')).toEqual({
      status: 2,
      printed: "slipway: unknown option '--bogus'\n  See: slipway plan --help\n",
    });
    expect(await ask('bootstarp')).toEqual({
      status: 2,
      printed: "slipway: unknown command 'bootstarp'\n(Did you mean bootstrap?)\n  See: slipway --help\n",
    });
  });

  it('of version is not the version', async () => {
    expect((await ask('version', '--help')).printed).toContain('Usage: slipway version');
    expect((await ask('version')).printed).toMatch(/^slipway \S+ \(commit /);
  });
});
