import type { Random } from '../random.ts';
import { byteMutations, type Mutation } from './bytes.ts';
import { jsonValue } from './json.ts';
import { shapeMutations } from './shapes.ts';
import { textMutations } from './text.ts';

/** Inputs stay below; every reader has a bound of its own, which is tried by shapes that reach it sooner. */
const MAX_BYTES = 1024 * 1024;

/** Makes inputs out of a corpus: an example, changed once or a few times. */
export class Mutator {
  readonly #corpus: readonly Buffer[];
  readonly #text: readonly Mutation[];

  constructor(corpus: readonly Buffer[], dictionary: readonly string[]) {
    this.#corpus = corpus;
    this.#text = textMutations(dictionary);
  }

  /** The input that this random sequence stands for. */
  make(random: Random): Buffer {
    let bytes = random.pick(this.#corpus);
    for (let times = random.size(8); times > 0; times -= 1) {
      const changed = this.#mutation(random)(bytes, random, random.pick(this.#corpus)).subarray(0, MAX_BYTES);
      // What is no JSON, or has no quotes, is changed as text all the same.
      bytes = changed.equals(bytes) ? random.pick(this.#text)(bytes, random, bytes) : changed;
    }
    return Buffer.from(bytes);
  }

  #mutation(random: Random): Mutation {
    const kind = random.below(100);
    if (kind < 25) return random.pick(byteMutations);
    if (kind < 30) return random.pick(shapeMutations);
    return kind < 60 ? jsonValue : random.pick(this.#text);
  }
}
