import { Broken, type Target } from './target.ts';

/** What one input did that it must not do. */
export interface Fault {
  /** The same for the same fault, whatever the input was. */
  key: string;
  /** For people. */
  words: string;
}

/** Processor time that reading one input may take, in milliseconds; other work on the machine does not count. */
const MAX_MS = 2_000;
/** Bytes outside of the heap (buffers) that may stay after one input. Of the heap itself, the worker has no more to give. */
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;

/** Words that a library wrote to everybody's terminal since they were asked for last. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

/** Runs one input; `twice` also asks whether the same bytes give the same answer. */
export async function tryInput(target: Target, bytes: Buffer, twice: boolean): Promise<Fault | undefined> {
  const before = process.memoryUsage().arrayBuffers;
  const first = await answer(target, bytes);
  if (first.fault) return first.fault;
  if (first.ms > MAX_MS)
    return { key: 'slow', words: `it took ${Math.round(first.ms)} ms of processor time` };
  const grown = process.memoryUsage().arrayBuffers - before;
  if (grown > MAX_BUFFER_BYTES)
    return { key: 'large', words: `it left ${Math.round(grown / 2 ** 20)} MiB of buffers` };
  await new Promise((resolve) => setImmediate(resolve));
  const [warning] = warnings.splice(0);
  if (warning !== undefined)
    return { key: 'warning', words: `it printed a warning of Node.js: ${warning.slice(0, 300)}` };
  if (Object.hasOwn(Object.prototype, 'polluted'))
    return { key: 'prototype', words: 'it changed the prototype of all objects' };
  if (!twice) return undefined;
  const second = await answer(target, bytes);
  if (second.said === first.said) return undefined;
  return { key: 'unsteady', words: 'the same bytes gave another answer the second time' };
}

async function answer(target: Target, bytes: Buffer): Promise<{ said?: string; fault?: Fault; ms: number }> {
  const from = process.threadCpuUsage();
  const ms = () => {
    const { user, system } = process.threadCpuUsage(from);
    return (user + system) / 1000;
  };
  try {
    // A copy: whoever reads bytes must not change them under the next reader either.
    const value = await target.run(Buffer.from(bytes));
    const spent = ms();
    return { said: `returned ${JSON.stringify(value, plain)}`, ms: spent };
  } catch (error) {
    if (!(error instanceof Broken) && target.refuses?.(error))
      return { said: `refused ${String(error)}`, ms: ms() };
    return { fault: faultOf(error), ms: ms() };
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** The kind of error and where in our sources it came from. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { key: 'thrown', words: `threw ${String(error)}` };
  if (error instanceof Broken) return { key: error.message, words: error.message };
  const frames = (error.stack ?? '').split('\n').filter((line) => /\/(?:src|node_modules)\//.test(line));
  const places = frames.slice(0, 4).map((frame) => /\/((?:src|node_modules)\/[^)]*?):(\d+):/.exec(frame));
  const [place] = places.map((match) => (match ? `${match[1]}:${match[2]}` : ''));
  const way = places.map((match) => (match ? `${match[1]}:${match[2]}` : '')).join(' <- ');
  return {
    key: `${error.name} at ${place ?? 'an unknown place'}`,
    words: `threw ${error.name}: ${error.message.slice(0, 300)} (${way})`,
  };
}
