import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { databasePath } from '../serve/standalone.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { run } from './program.ts';

let data: string;
let printed: { stdout: string; stderr: string };

beforeEach(async () => {
  data = scratch();
  await new SqliteStore(databasePath(data)).close();
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function ask(...words: string[]) {
  printed = { stdout: '', stderr: '' };
  const status = await run([...words, '--data', data]);
  return { status, ...printed };
}

const TOKEN = /^slwt\.[a-z0-9]{10}\.[\w-]{32}\n$/;

describe('token', () => {
  it('lists without an action, and creates nothing', async () => {
    const { stdout } = await ask('token', 'create');
    const [, id = ''] = stdout.split('.');
    const first = await ask('token');
    expect(first).toEqual(await ask('token', 'list'));
    expect(first.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['ID', id, '']);
  });

  it('lists the tokens of a namespace without an action', async () => {
    await ask('token', 'create');
    expect((await ask('token', '--namespace', 'other')).stdout).toBe('There are no tokens.\n');
  });

  it.each([['--machine', 'w1'], ['--ttl', '2h'], ['--uses', '100'], ['--no-renew']])(
    'creates one without an action where an option belongs to create alone: %s',
    async (...options) => {
      expect((await ask('token', ...options)).stdout).toMatch(TOKEN);
      expect((await ask('token')).stdout.split('\n')).toHaveLength(3);
    },
  );
});
