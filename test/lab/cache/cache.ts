import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lock } from '../process/lock.ts';

/**
 * Where everything big lives: never in the checkout.
 * `$SLIPWAY_LAB_CACHE`, else `$XDG_CACHE_HOME/slipway-lab`, else `~/.cache/slipway-lab`.
 */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SLIPWAY_LAB_CACHE) return env.SLIPWAY_LAB_CACHE;
  return join(env.XDG_CACHE_HOME ? env.XDG_CACHE_HOME : join(homedir(), '.cache'), 'slipway-lab');
}

/** One thing the cache can hold: the recipe is everything that decides its content. */
interface Recipe {
  name: string;
  recipe: unknown;
  /** Fills the (existing, empty) directory; whatever it leaves there is the result. */
  make: (dir: string) => Promise<void>;
}

/** Sixteen hex digits over the recipe, so that a changed recipe is another entry. */
export function recipeDigest(recipe: unknown): string {
  return createHash('sha256').update(canonical(recipe)).digest('hex').slice(0, 16);
}

/** JSON with sorted keys: the order in which a recipe was written must not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * The path of a cached directory, made first when it is missing. Making happens in a directory beside it that is
 * renamed when complete, under a lock, so an interrupted make leaves no half entry and two runs make it once.
 * Entries of the same name with an older recipe are left for `prune`: a running machine may stand on them.
 */
export async function cached(entry: Recipe, say: (line: string) => void = () => {}): Promise<string> {
  const base = join(cacheDir(), 'made');
  const final = join(base, `${entry.name}-${recipeDigest(entry.recipe)}`);
  if (existsSync(final)) return final;
  await mkdir(base, { recursive: true, mode: 0o755 });
  const held = await lock(join(base, `.${entry.name}.lock`), () =>
    say(`waiting for ${entry.name}, which is being made already`),
  );
  try {
    if (existsSync(final)) return final;
    const partial = `${final}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: 0o755 });
    say(`making ${entry.name}`);
    const began = Date.now();
    try {
      await entry.make(partial);
      await rename(partial, final);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
    say(`made ${entry.name} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return final;
  } finally {
    await held.release();
  }
}

/** Remove every entry that is not in `keep`; returns the names removed. Call only while no machine runs. */
export async function prune(keep: readonly string[]): Promise<string[]> {
  const base = join(cacheDir(), 'made');
  if (!existsSync(base)) return [];
  const removed: string[] = [];
  for (const name of await readdir(base)) {
    if (name.startsWith('.') || keep.includes(join(base, name))) continue;
    await rm(join(base, name), { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}
