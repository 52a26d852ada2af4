import { createWriteStream } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LabError, runOk } from '../process/command.ts';
import { withScratchDir } from '../root/in-root.ts';
import { sha256File } from './sha256-file.ts';

type Say = (line: string) => void;

/** An archive, and which of its files are wanted; they lose their folders. */
interface Archive {
  url: string;
  sums?: string;
  members: readonly string[];
}

/** Download an archive and put the wanted files into `dir`. */
export async function unpack(dir: string, say: Say, { url, sums, members }: Archive): Promise<void> {
  const name = basename(url);
  say(`downloading ${name}`);
  await withScratchDir(async (scratch) => {
    await downloadChecked(url, join(scratch, name), sums);
    await runOk('tar', ['-xzf', join(scratch, name), '-C', scratch, '--no-same-owner', ...members]);
    for (const member of members) await copyFile(join(scratch, member), join(dir, basename(member)));
  });
}

/**
 * Download a file whose sum is published: at `url`.sha256, or in a list of sums and names at `sums`.
 * The file appears only when it is right.
 */
export async function downloadChecked(url: string, to: string, sums = `${url}.sha256`): Promise<void> {
  const sum = sumOf(basename(url), await (await get(sums)).text());
  if (sum === undefined) throw new LabError(`${sums} holds no SHA-256 sum of ${basename(url)}`);
  const partial = `${to}.partial`;
  try {
    const { body } = await get(url);
    if (body === null) throw new LabError(`${url} is empty`);
    await pipeline(Readable.fromWeb(body), createWriteStream(partial));
    const actual = await sha256File(partial);
    if (actual !== sum) {
      throw new LabError(
        `${basename(to)} from ${url} is not what was published: SHA-256 ${actual} instead of ${sum}`,
      );
    }
    await rename(partial, to);
  } finally {
    await rm(partial, { force: true });
  }
}

/** Of a list, the sum of that file; a sum that stands alone is of no other. */
function sumOf(name: string, text: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, sum, of] = /^([0-9a-f]{64})(?:\s+\*?(\S+))?\s*$/.exec(line) ?? [];
    if (sum !== undefined && (of === undefined || of === name)) return sum;
  }
  return undefined;
}

/**
 * The whole of it may take long; only a server that says nothing at all is given up.
 * @throws LabError for whatever is not an answer of success
 */
export async function get(url: string, timeoutMs = 600_000): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    throw new LabError(`cannot download ${url}: ${reason(error)}`);
  }
  if (!answer.ok) throw new LabError(`cannot download ${url}: the server answers ${answer.status}`);
  return answer;
}

/** fetch says "fetch failed" and keeps the cause to itself. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
