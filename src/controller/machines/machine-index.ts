import type { Machine } from './machine.ts';

/** Machines by something that should be one's alone and may be several's. */
export class MachineIndex {
  readonly #byKey = new Map<string, readonly Machine[]>();

  get(key: string | undefined): readonly Machine[] {
    return (key === undefined ? undefined : this.#byKey.get(key)) ?? [];
  }

  add(key: string | undefined, machine: Machine): void {
    if (key !== undefined) this.#byKey.set(key, [...this.get(key), machine]);
  }

  remove(key: string | undefined, machine: Machine): void {
    if (key === undefined) return;
    const others = this.get(key).filter((other) => other !== machine);
    if (others.length > 0) this.#byKey.set(key, others);
    else this.#byKey.delete(key);
  }
}
