/** Most serial numbers in memory; the longest known goes first. */
const MAX_KNOWN = 20_000;

/**
 * Certificates that were refused because they count no longer: of a copied disk, of a claim that a proof has replaced, of a
 * Machine that is gone. Who shows one counts as a stranger from then on.
 */
export class RevokedCertificates {
  readonly #serials = new Set<string>();

  add(serial: string): void {
    if (this.#serials.size >= MAX_KNOWN) this.#serials.delete(this.#serials.values().next().value ?? '');
    this.#serials.add(serial);
  }

  has(serial: string): boolean {
    return this.#serials.has(serial);
  }
}
