import { MAX_JINJA_OUTPUT, MAX_JINJA_STEPS } from '../../../text/limits.ts';
import { Dict, extent, Sequence, type Value, ValueError } from './values.ts';

/** So many characters or list items cost as much as one step. */
const CHARS_PER_STEP = 256;
const ITEMS_PER_STEP = 64;

/** Bounds the time and memory of rendering, so that no template can hang the boot. */
export class Budget {
  #steps = MAX_JINJA_STEPS;
  #chars = MAX_JINJA_OUTPUT;

  /** Counts steps. @throws ValueError if none are left */
  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0)
      throw new ValueError('The template takes too many steps; a loop is probably too long.');
  }

  /** Call it before making a text of that length. */
  reserve(length: number): void {
    if (length > MAX_JINJA_OUTPUT) throw new ValueError('The template builds a string that is too long.');
    this.step(length / CHARS_PER_STEP);
  }

  /** Call it before making a list of that length. */
  reserveItems(count: number): void {
    this.step(count);
  }

  text(text: string): string {
    this.reserve(text.length);
    return text;
  }

  items<T>(items: readonly T[]): readonly T[] {
    this.reserveItems(items.length);
    return items;
  }

  /** Call it before visiting a value's items. */
  visit(value: Value): void {
    const { count, chars } = extent(value);
    this.step(chars / CHARS_PER_STEP);
    if (value instanceof Sequence || value instanceof Dict) this.step(count / ITEMS_PER_STEP);
  }

  /** Counts the characters of the result. */
  output(length: number): void {
    this.#chars -= length;
    if (this.#chars < 0) throw new ValueError('The template renders to more text than Slipway accepts.');
  }
}
