import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { SlowReadResult } from '../../host.ts';
import { resolveInRoot } from '../files/paths/resolve.ts';
import { childEnvironment } from './child-environment.ts';
import { killGroup } from './process-table.ts';

const MOST_BYTES = 4096;
const EACH_MS = 400;
const ALL_MS = 1000;

/** Marks where each file begins and ends; what stands between is the file's, and cannot know the mark. */
const SCRIPT = `mark=$1; shift; n=0
for file; do
  printf '\\n%s begin %s\\n' "$mark" "$n"
  if head -c ${MOST_BYTES} <"$file" 2>/dev/null; then printf '\\n%s end\\n' "$mark"; else printf '\\n%s fail\\n' "$mark"; fi
  n=$((n+1))
done`;

/** See `Host.readSlow`. A read that the kernel does not let go of ends neither this process nor its parent. */
export async function readSlow(root: string, paths: readonly string[]): Promise<SlowReadResult[]> {
  const answers: SlowReadResult[] = [];
  const until = performance.now() + ALL_MS;
  while (answers.length < paths.length) {
    const left = until - performance.now();
    if (left <= 0) break;
    const rest = paths.slice(answers.length).map((path) => resolveInRoot(root, path));
    const { found, problem } = await readSome(rest, left);
    answers.push(...found);
    if (problem !== undefined && answers.length < paths.length) answers.push({ problem });
  }
  return paths.map((_, at) => answers[at] ?? { problem: 'there was no time left to read it' });
}

/** What one program could read, and what kept it from reading the next file. */
function readSome(
  paths: readonly string[],
  leftMs: number,
): Promise<{ found: SlowReadResult[]; problem?: string }> {
  // The kernel's own: node:crypto would cost more memory than all else here.
  const mark = readFileSync('/proc/sys/kernel/random/uuid', 'latin1').trim();
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', mark, ...paths], {
    detached: true,
    env: childEnvironment({ LC_ALL: 'C' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parts: Buffer[] = [];
  let known = 0;
  return new Promise((resolve) => {
    const settle = (problem?: string) => {
      clearTimeout(timer);
      child.stdout.removeAllListeners('data');
      child.stdout.destroy();
      child.unref();
      const found = parse(Buffer.concat(parts), mark);
      resolve({ found: found.slice(0, paths.length), ...(problem === undefined ? {} : { problem }) });
    };
    const late = () => {
      if (child.pid !== undefined) killGroup(child.pid);
      settle(`it did not answer within ${EACH_MS} ms`);
    };
    let timer = setTimeout(late, Math.min(EACH_MS, leftMs));
    child.stdout.on('data', (chunk: Buffer) => {
      parts.push(chunk);
      const now = parse(Buffer.concat(parts), mark).length;
      if (now === known) return;
      known = now;
      clearTimeout(timer);
      timer = setTimeout(late, EACH_MS);
    });
    child.on('error', (error) => settle(`no shell could be started: ${error.message}`));
    child.on('close', () => settle('the program that read it ended early'));
  });
}

/** The files that were read to their ends. */
function parse(output: Buffer, mark: string): SlowReadResult[] {
  const found: SlowReadResult[] = [];
  const [end, fail] = [`\n${mark} end\n`, `\n${mark} fail\n`];
  for (let at = 0; ; ) {
    const begin = `\n${mark} begin ${found.length}\n`;
    const start = output.indexOf(begin, at);
    if (start < 0) return found;
    const from = start + begin.length;
    const over = output.indexOf(`\n${mark} `, from);
    if (over < 0) return found;
    const isEnd = output.subarray(over, over + end.length).toString('latin1') === end;
    const isFail = output.subarray(over, over + fail.length).toString('latin1') === fail;
    if (!isEnd && !isFail) return found;
    // What a device has no answer to is refused; that is no news.
    found.push({ bytes: isEnd ? output.subarray(from, over) : Buffer.alloc(0) });
    at = over;
  }
}
