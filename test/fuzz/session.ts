// biome-ignore lint/style/noRestrictedImports: it talks with a process of Node.js, which execa has no part in.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './try-input.ts';
import type { Message, Task } from './worker-task.ts';

/** A fault with the shortest input that was found for it. */
export interface Finding {
  target: string;
  seed: string;
  fault: Fault;
  bytes: Uint8Array;
}

/** No input may keep a reader for so long; then it is ended from outside. */
const HANG_MS = 30_000;
const LOOK_MS = 1_000;
/** What the tests themselves hold is below 128 MiB; 256 MiB more of live heap is what an input may take. */
const HEAP_MIB = 128 + 256;

type Plan = Pick<Task, 'targets' | 'seed' | 'runs' | 'ms' | 'bytes' | 'examples'>;

interface SessionOptions extends Plan {
  /** Called when a target is through. */
  done?(target: string, runs: number): void;
  /** Called with each finding at once. */
  found?(finding: Finding): void;
}

/** Runs the targets in a process of its own, which is ended where an input never comes back or takes all memory. */
export async function runSession({ done, found, ...plan }: SessionOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (finding: Omit<Finding, 'seed'>) => {
    findings.push({ ...finding, seed: plan.seed });
    found?.({ ...finding, seed: plan.seed });
  };
  let { targets } = plan;
  while (targets.length > 0) {
    const left = [...targets];
    const fatal = await runWorker({ ...plan, targets }, (message) => {
      if (message.kind === 'fault') {
        add(message);
        return;
      }
      left.splice(left.indexOf(message.target), 1);
      done?.(message.target, message.runs);
    });
    if (!fatal) return findings;
    add(fatal);
    // The same seed would end there again, so the target that did it is through.
    targets = left.filter((name) => name !== fatal.target);
  }
  return findings;
}

/** @returns what ended the process before its time */
function runWorker(plan: Plan, hear: (message: Message) => void): Promise<Omit<Finding, 'seed'> | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-fuzz-'));
  const current = join(folder, 'current');
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    execArgv: [`--max-old-space-size=${HEAP_MIB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = `${words}${chunk}`.slice(-10_000);
  });
  let heard = Date.now();
  const hung = () =>
    Date.now() - Math.max(heard, statSync(current, { throwIfNoEntry: false })?.mtimeMs ?? 0) > HANG_MS;
  let fault: Fault | undefined;
  const timer = setInterval(() => {
    if (!hung()) return;
    fault = { key: 'hangs', words: `it does not come back within ${HANG_MS / 1000} s` };
    child.kill('SIGKILL');
  }, LOOK_MS);
  child.on('message', (message: Message) => {
    heard = Date.now();
    hear(message);
  });
  child.send({ ...plan, current } satisfies Task);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(timer);
      const why = fault ?? (code === 0 ? undefined : faultOf(words));
      resolve(why && { ...inputIn(current), fault: why });
      rmSync(folder, { recursive: true, force: true });
    });
  });
}

function faultOf(words: string): Fault {
  return /heap out of memory/.test(words)
    ? { key: 'memory', words: 'it takes more than 256 MiB of memory' }
    : { key: 'outside', words: `the process ended: ${words.trim().slice(-1_000)}` };
}

function inputIn(path: string): { target: string; bytes: Uint8Array } {
  const whole = readFileSync(path);
  const end = whole.indexOf(10);
  return { target: whole.toString('utf8', 0, end), bytes: whole.subarray(end + 1) };
}
