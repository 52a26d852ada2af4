import { writeFileSync } from 'node:fs';
import { Mutator } from './mutations/mutate.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';
import { targetNamed } from './targets/all.ts';
import { tryInput } from './try-input.ts';
import type { Message, Task } from './worker-task.ts';

async function work(task: Task): Promise<void> {
  const known = new Set<string>();
  for (const name of task.targets) {
    const target = targetNamed(name);
    const runs = await fuzz(target, task, known);
    tell({ kind: 'done', target: name, runs });
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
    writeFileSync(task.current, Buffer.concat([Buffer.from(`${target.name}\n`), bytes]));
    const fault = await tryInput(target, bytes, task.bytes !== undefined || index % 8 === 0);
    if (!fault || known.has(`${target.name} ${fault.key}`)) continue;
    known.add(`${target.name} ${fault.key}`);
    const began = performance.now();
    const small = task.bytes ? bytes : await shrink(target, bytes, fault);
    until += performance.now() - began;
    tell({ kind: 'fault', target: target.name, index, fault, bytes: small });
  }
  return index;
}

function tell(message: Message): void {
  process.send?.(message);
}

process.once('message', (task: Task) => {
  void work(task).finally(() => process.disconnect());
});
