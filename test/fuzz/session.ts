import { Worker } from 'node:worker_threads';
import { TARGETS } from './targets/all.ts';
import type { Fault } from './try-input.ts';
import { type Message, SHARED_HEAD, type Task } from './worker-task.ts';

/** A fault with the shortest input that was found for it. */
export interface Finding {
  target: string;
  seed: string;
  fault: Fault;
  bytes: Uint8Array;
}

/** No input may keep a reader for so long; then the reader is ended from outside. */
const HANG_MS = 30_000;
const LOOK_MS = 1_000;
/** The live heap of a reader with all that the tests themselves hold is below; 256 MiB more is what an input may take. */
const HEAP_MIB = 128 + 256;
const SHARED_BYTES = 4 * 1024 * 1024;

export interface SessionOptions
  extends Pick<Task, 'targets' | 'seed' | 'runs' | 'ms' | 'bytes' | 'examples'> {
  /** Called when a target is through. */
  done?(target: string, runs: number): void;
}

/** Runs the targets in a thread of its own, which is ended where an input never comes back or takes all memory. */
export async function runSession({ done, ...options }: SessionOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  let { targets } = options;
  while (targets.length > 0) {
    const left = [...targets];
    const fatal = await runWorker({ ...options, targets }, (message) => {
      if (message.kind === 'fault') findings.push({ seed: options.seed, ...message });
      else {
        left.splice(left.indexOf(message.target), 1);
        done?.(message.target, message.runs);
      }
    });
    if (!fatal) return findings;
    findings.push({ ...fatal, seed: options.seed });
    // The same seed would end there again, so the target that did it is through.
    targets = left.filter((name) => name !== fatal.target);
  }
  return findings;
}

/** @returns what ended the thread before its time */
function runWorker(
  task: Pick<Task, 'targets' | 'seed' | 'runs' | 'ms' | 'bytes' | 'examples'>,
  hear: (message: Message) => void,
): Promise<Omit<Finding, 'seed'> | undefined> {
  const shared = new SharedArrayBuffer(SHARED_HEAD + SHARED_BYTES);
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { ...task, shared } satisfies Task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  return new Promise((resolve) => {
    let begun = 0;
    let since = performance.now();
    const end = (fault?: Fault) => {
      clearInterval(timer);
      resolve(fault && { ...inputOf(shared), fault });
    };
    const timer = setInterval(() => {
      const now = Atomics.load(new Int32Array(shared, 0, 1), 0);
      if (now !== begun) [begun, since] = [now, performance.now()];
      if (performance.now() - since < HANG_MS) return;
      end({ key: 'hangs', words: `it does not come back within ${HANG_MS / 1000} s` });
      void worker.terminate();
    }, LOOK_MS);
    worker.on('message', (message: Message) => {
      since = performance.now();
      hear(message);
    });
    worker.on('error', (error: Error & { code?: string }) =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? { key: 'memory', words: 'it takes more than 256 MiB of memory' }
          : { key: 'outside', words: `an error came after the answer: ${error.stack ?? error.message}` },
      ),
    );
    worker.on('exit', () => end());
  });
}

function inputOf(shared: SharedArrayBuffer): { target: string; bytes: Uint8Array } {
  const [, target = 0, length = 0] = new Int32Array(shared, 0, 3);
  return {
    target: TARGETS[target]?.name ?? 'unknown',
    bytes: Uint8Array.from(new Uint8Array(shared, SHARED_HEAD, length)),
  };
}
