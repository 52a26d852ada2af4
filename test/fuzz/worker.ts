import { parentPort, workerData } from 'node:worker_threads';
import { Mutator } from './mutations/mutate.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';
import { TARGETS, targetNamed } from './targets/all.ts';
import { tryInput } from './try-input.ts';
import { type Message, SHARED_HEAD, type Task } from './worker-task.ts';

async function work(task: Task): Promise<void> {
  const known = new Set<string>();
  for (const name of task.targets) {
    const target = targetNamed(name);
    const runs = await fuzz(target, task, known);
    parentPort?.postMessage({ kind: 'done', target: name, runs } satisfies Message);
  }
}

async function fuzz(target: Target, task: Task, known: Set<string>): Promise<number> {
  const corpus = target.corpus();
  const mutator = new Mutator(corpus, target.dictionary);
  // What refuses its examples as they are tests nothing.
  const examples = task.examples === false ? [] : corpus;
  let until = performance.now() + (task.ms ?? Number.POSITIVE_INFINITY);
  const most = task.bytes ? 1 : examples.length + (task.runs ?? Number.POSITIVE_INFINITY);
  const inputAt = (index: number): Buffer =>
    task.bytes
      ? Buffer.from(task.bytes)
      : (examples[index] ?? mutator.make(new Random(`${task.seed} ${target.name} ${index}`)));
  let index = 0;
  for (; index < most && performance.now() < until; index += 1) {
    const bytes = inputAt(index);
    announce(task.shared, target, bytes);
    const fault = await tryInput(target, bytes, task.bytes !== undefined || index % 8 === 0);
    if (!fault || known.has(`${target.name} ${fault.key}`)) continue;
    known.add(`${target.name} ${fault.key}`);
    const began = performance.now();
    const small = task.bytes ? bytes : await shrink(target, bytes, fault);
    until += performance.now() - began;
    parentPort?.postMessage({
      kind: 'fault',
      target: target.name,
      index,
      fault,
      bytes: small,
    } satisfies Message);
  }
  return index;
}

function announce(shared: SharedArrayBuffer, target: Target, bytes: Buffer): void {
  const head = new Int32Array(shared, 0, 3);
  const room = new Uint8Array(shared, SHARED_HEAD);
  room.set(bytes.subarray(0, room.length));
  Atomics.store(head, 1, TARGETS.indexOf(target));
  Atomics.store(head, 2, Math.min(bytes.length, room.length));
  Atomics.add(head, 0, 1);
}

await work(workerData as Task);
