import { parentPort } from 'node:worker_threads';
import { type ChainQuestion, whyUntrusted } from './why-untrusted.ts';

/** What the thread that verifies chains answers. */
export interface ChainAnswer {
  readonly why: string | undefined;
  /** Milliseconds of processor time that it took. */
  readonly ms: number;
}

/** The thread: it answers one question after the other. */
parentPort?.on('message', (question: ChainQuestion) => {
  const before = process.threadCpuUsage();
  const why = whyUntrusted(question);
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ why, ms: (user + system) / 1_000 } satisfies ChainAnswer);
});
