import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';

/** The build puts the thread's program into the binary under this name (build/binary/controller-binary.ts). */
const ASSET = 'chains';

const OPTIONS = {
  // It needs nothing of the process, and memory for a few certificates.
  ...{ env: {}, execArgv: [], argv: [] },
  resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
};

/** Starts the thread that verifies chains. It keeps no process alive. */
export function startWorker(): Worker {
  const worker = isSea()
    ? new Worker(getAsset(ASSET, 'utf8'), { ...OPTIONS, eval: true })
    : new Worker(join(import.meta.dirname, 'worker.ts'), OPTIONS);
  worker.unref();
  return worker;
}
