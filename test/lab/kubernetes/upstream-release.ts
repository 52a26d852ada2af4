import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../cache/cache.ts';
import { LabError } from '../process/command.ts';
import { newestRelease, type ReleaseHosts } from './kubernetes-download.ts';

type Say = (line: string) => void;

/** What upstream said, or that it could not be reached, holds for a while: not every command of the lab asks. */
const HOLDS_MS = { reached: 24 * 3_600_000, unreached: 3_600_000 };

interface Answer {
  /** The last that it named. */
  version?: string;
  reached: boolean;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Upstream's newest release that the lab works with. Where upstream cannot be reached now, the one that it named before, which
 * is in the cache; undefined when it never was reached.
 */
export async function upstreamRelease(
  say: Say,
  hosts?: ReleaseHosts,
  now: number = Date.now(),
): Promise<string | undefined> {
  const file = join(cacheDir(), 'kubernetes-upstream.json');
  const known = await readAnswer(file);
  if (known !== undefined && now - known.at < HOLDS_MS[known.reached ? 'reached' : 'unreached']) {
    return known.version;
  }
  const answer = await ask(say, hosts).then(
    (version): Answer => ({ version, reached: true, at: now }),
    (error: unknown): Answer => {
      if (!(error instanceof LabError)) throw error;
      say(`upstream's releases of Kubernetes cannot be reached: ${error.message}`);
      return { ...(known?.version ? { version: known.version } : {}), reached: false, at: now };
    },
  );
  await mkdir(cacheDir(), { recursive: true, mode: 0o755 });
  // Several of one process may ask at the same time.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(answer));
  await rename(draft, file);
  return answer.version;
}

async function ask(say: Say, hosts?: ReleaseHosts): Promise<string> {
  const version = await newestRelease(hosts);
  say(`upstream's newest release of Kubernetes for the lab is ${version}`);
  return version;
}

async function readAnswer(file: string): Promise<Answer | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Answer);
}
