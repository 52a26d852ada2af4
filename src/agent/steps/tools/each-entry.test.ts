import { describe, expect, it } from 'vitest';
import { HostError } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';
import { eachEntry, place } from './each-entry.ts';

describe('eachEntry', () => {
  const running = { signal: new AbortController().signal, remainingMs: () => 1000 };

  it('says what was done', async () => {
    expect(await eachEntry(['a', 'b'], running, async (name) => `${name} made`)).toEqual({
      done: true,
      message: 'a made; b made',
    });
  });

  it('goes on after an entry that failed, and fails with the first problem', async () => {
    const seen: string[] = [];
    const result = await eachEntry(['a', 'b', 'c'], running, async (name) => {
      seen.push(name);
      if (name === 'b') return '';
      throw new StepError('UserNotCreated', `no ${name}`, { exitStatus: 3, lines: ['why'] });
    });
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(result).toMatchObject({
      done: false,
      retry: 'no',
      failure: {
        code: 'UserNotCreated',
        cause: 'No a (and 1 more of its entries failed).',
        exitStatus: 3,
        lines: ['why'],
      },
    });
  });

  it('prefers a problem that may pass by itself', async () => {
    const result = await eachEntry(['DiskInUse', 'DiskNotFound'] as const, running, async (code) => {
      throw new StepError(code, code);
    });
    expect(result).toMatchObject({ done: false, retry: 'yes', failure: { code: 'DiskNotFound' } });
  });

  it('knows a full disk', async () => {
    const result = await eachEntry(['a'], running, async () => {
      throw new HostError('writing /etc/fstab: no space left on device', 'ENOSPC', '/etc/fstab');
    });
    expect(result).toMatchObject({ done: false, retry: 'yes', failure: { code: 'DiskFull' } });
  });

  it('stops between two entries when it is told to', async () => {
    for (const [left, code] of [
      [1000, 'Interrupted'],
      [0, 'DeadlineExceeded'],
    ] as const) {
      const stop = new AbortController();
      const seen: string[] = [];
      const result = await eachEntry(
        ['a', 'b'],
        { signal: stop.signal, remainingMs: () => left },
        async (name) => {
          seen.push(name);
          stop.abort();
          return name;
        },
      );
      expect(seen).toEqual(['a']);
      expect(result).toMatchObject({ done: false, retry: 'yes', failure: { code } });
    }
  });
});

it('names the place of an entry', () => {
  expect(place({ line: 3, column: 7 })).toEqual({ where: '3:7' });
  expect(place(undefined)).toEqual({});
});
