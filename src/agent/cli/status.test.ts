import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { JOURNAL } from '../document/paths.ts';
import { statusCommand } from './status.ts';

describe('slipway status', () => {
  let root: string;
  let printed: string;

  beforeEach(() => {
    root = scratch();
    printed = '';
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        printed += text;
        return true;
      });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const put = (text: string) => {
    mkdirSync(join(root, dirname(JOURNAL)), { recursive: true });
    writeFileSync(join(root, JOURNAL), text);
  };
  const timeline = () => statusCommand({ timeline: true, root, output: 'text' });

  it('says that nothing was begun only where that is so', async () => {
    expect(await timeline()).toBe(0);
    expect(printed).toBe('no timeline: Slipway has not begun a bootstrap on this machine\n');
    printed = '';
    put('of a newer Slipway, or damaged\n');
    expect(await timeline()).toBe(0);
    expect(printed).toBe(
      'no timeline: 31 bytes of the journal cannot be read, and the rest holds no bootstrap\n',
    );
  });

  it('says whom the machine reports to, for people and for programs', async () => {
    const file = join(root, 'run/slipway/reporting.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{"endpoint":"https://slipway.example"}');
    expect(await statusCommand({ root, output: 'text' })).toBe(0);
    expect(printed).toMatch(/^not started: .*\n\nReporting {3}to https:\/\/slipway\.example; /);
    printed = '';
    expect(await statusCommand({ root, output: 'json' })).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ reporting: { to: ['https://slipway.example'] } });
  });

  it('does not wait for a timeline', async () => {
    expect(await statusCommand({ timeline: true, wait: true, root, output: 'text' })).toBe(2);
    expect(printed).toBe('slipway: --timeline shows what was; it does not wait\n');
  });
});
