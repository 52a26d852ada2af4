import type { Position } from '../../../document/document.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { Places } from '../schema/bind.ts';

/** Says of a value of the config what is wrong with it, by its JSON path, line and column. */
export class Remarks {
  readonly #places: Places;
  readonly #diagnostics: Diagnostics;

  constructor(places: Places, diagnostics: Diagnostics) {
    this.#places = places;
    this.#diagnostics = diagnostics;
  }

  error(of: object, keys: readonly (string | number)[], message: string | undefined): void {
    if (message === undefined) return;
    const { path, where, report: diagnostics } = this.#at(of, keys);
    diagnostics.error('UserDataInvalid', `${path} ${message}.`, where);
  }

  warn(of: object, keys: readonly (string | number)[], message: string | undefined): void {
    if (message === undefined) return;
    const { path, where, report: diagnostics } = this.#at(of, keys);
    diagnostics.warn('UserDataInvalid', `${path} ${message}.`, where);
  }

  /** Says that something of the config is passed over. */
  ignored(of: object, keys: readonly (string | number)[], message: string): void {
    const { path, where, report: diagnostics } = this.#at(of, keys);
    diagnostics.warn('UserDataIgnoredKey', `${path} ${message}; it is ignored.`, where);
  }

  #at(
    of: object,
    keys: readonly (string | number)[],
  ): { path: string; where?: Position; report: Diagnostics } {
    const { text, ...place } = this.#places.of(of, ...keys);
    return { ...place, report: this.#diagnostics.of(text) };
  }
}
