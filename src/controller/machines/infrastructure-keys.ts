/** What Machines' infrastructure objects say of their TPMs, by the Machine's UID. */
export class InfrastructureKeys {
  readonly #keyOf = new Map<string, string | undefined>();
  readonly #uidsOf = new Map<string, Set<string>>();
  readonly #awaited = new Set<string>();

  /** Until `put`, nobody knows whether a TPM is named for the Machine. */
  await(uid: string): void {
    if (!this.#keyOf.has(uid)) this.#awaited.add(uid);
  }

  isAwaited(uid: string): boolean {
    return this.#awaited.has(uid);
  }

  /** @param key undefined if the object names none */
  put(uid: string, key: string | undefined): void {
    this.forget(uid);
    this.#keyOf.set(uid, key);
    if (key === undefined) return;
    const uids = this.#uidsOf.get(key) ?? new Set();
    this.#uidsOf.set(key, uids.add(uid));
  }

  isKnown(uid: string): boolean {
    return this.#keyOf.has(uid);
  }

  of(uid: string): string | undefined {
    return this.#keyOf.get(uid);
  }

  uidsOf(key: string): Iterable<string> {
    return this.#uidsOf.get(key) ?? [];
  }

  forget(uid: string): void {
    const key = this.#keyOf.get(uid);
    this.#awaited.delete(uid);
    this.#keyOf.delete(uid);
    const uids = this.#uidsOf.get(key ?? '');
    uids?.delete(uid);
    if (uids?.size === 0) this.#uidsOf.delete(key ?? '');
  }
}
