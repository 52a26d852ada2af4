import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cacheDir, cached, prune, recipeDigest } from './cache.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-cache-'));
  vi.stubEnv('SLIPWAY_LAB_CACHE', dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

const entry = (recipe: unknown, make: (dir: string) => Promise<void>) => ({ name: 'thing', recipe, make });
const write = (content: string) => (made: string) => writeFile(join(made, 'file'), content);

describe('cacheDir', () => {
  it('prefers the variable of its own, then the XDG one, then the home directory', () => {
    expect(cacheDir({ SLIPWAY_LAB_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheDir({ XDG_CACHE_HOME: '/b' })).toBe('/b/slipway-lab');
    expect(cacheDir({})).toMatch(/\/\.cache\/slipway-lab$/);
  });
});

describe('recipeDigest', () => {
  it('does not depend on the order of keys, but on everything else', () => {
    expect(recipeDigest({ a: 1, b: [1, 2] })).toBe(recipeDigest({ b: [1, 2], a: 1 }));
    expect(recipeDigest({ a: 1, b: [1, 2] })).not.toBe(recipeDigest({ a: 1, b: [2, 1] }));
    expect(recipeDigest({ a: '1' })).not.toBe(recipeDigest({ a: 1 }));
  });
});

describe('cached', () => {
  it('makes an entry once, also when two ask at the same time', async () => {
    const make = vi.fn(write('x'));
    const [one, two] = await Promise.all([cached(entry(1, make)), cached(entry(1, make))]);
    expect(one).toBe(two);
    expect(await cached(entry(1, make))).toBe(one);
    expect(make).toHaveBeenCalledTimes(1);
  });

  it('makes another entry for another recipe', async () => {
    const one = await cached(entry(1, write('x')));
    const two = await cached(entry(2, write('x')));
    expect(two).not.toBe(one);
    expect(existsSync(one)).toBe(true);
  });

  it('leaves nothing of a make that failed, and tries again', async () => {
    const fails = async (made: string) => {
      await writeFile(join(made, 'half'), 'x');
      throw new Error('no disk');
    };
    await expect(cached(entry(1, fails))).rejects.toThrow('no disk');
    expect((await readdir(join(dir, 'made'))).filter((name) => !name.startsWith('.'))).toEqual([]);
    const made = await cached(entry(1, write('x')));
    expect(await readdir(made)).toEqual(['file']);
  });

  it('does not take over what a killed make left', async () => {
    const made = await cached(entry(1, write('x')));
    await rm(made, { recursive: true });
    await mkdir(`${made}.partial`);
    await writeFile(join(`${made}.partial`, 'half'), 'x');
    expect(await readdir(await cached(entry(1, write('x'))))).toEqual(['file']);
  });

  it('forgets what nobody keeps', async () => {
    const one = await cached(entry(1, write('x')));
    const two = await cached(entry(2, write('x')));
    expect(await prune([two])).toHaveLength(1);
    expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
  });
});
