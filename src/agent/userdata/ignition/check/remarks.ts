import type { Position } from '../../../document/document.ts';
import type { Report } from '../../../text/diagnostics.ts';
import type { Places } from '../schema/places.ts';

/** Says of a value of the config what is wrong with it, by its JSON path, line and column. */
export class Remarks {
  readonly #places: Places;
  readonly #report: Report;

  constructor(places: Places, report: Report) {
    this.#places = places;
    this.#report = report;
  }

  error(of: object, keys: readonly (string | number)[], message: string | undefined): void {
    if (message === undefined) return;
    const { path, where, report } = this.#at(of, keys);
    report.error('UserDataInvalid', `${path} ${message}.`, where);
  }

  warn(of: object, keys: readonly (string | number)[], message: string | undefined): void {
    if (message === undefined) return;
    const { path, where, report } = this.#at(of, keys);
    report.warn('UserDataInvalid', `${path} ${message}.`, where);
  }

  /** Says that something of the config is passed over. */
  ignored(of: object, keys: readonly (string | number)[], message: string): void {
    const { path, where, report } = this.#at(of, keys);
    report.warn('UserDataIgnoredKey', `${path} ${message}; it is ignored.`, where);
  }

  #at(of: object, keys: readonly (string | number)[]): { path: string; where?: Position; report: Report } {
    const { text, ...place } = this.#places.of(of, ...keys);
    return { ...place, report: this.#report.of(text) };
  }
}
