import type { Report } from '../../../text/report.ts';
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
    const { path, where } = this.#places.of(of, ...keys);
    this.#report.error('UserDataInvalid', `${path} ${message}.`, where);
  }

  warn(of: object, keys: readonly (string | number)[], message: string | undefined): void {
    if (message === undefined) return;
    const { path, where } = this.#places.of(of, ...keys);
    this.#report.warn('UserDataInvalid', `${path} ${message}.`, where);
  }

  /** Says that something of the config is passed over. */
  ignored(of: object, keys: readonly (string | number)[], message: string): void {
    const { path, where } = this.#places.of(of, ...keys);
    this.#report.warn('UserDataIgnoredKey', `${path} ${message}; it is ignored.`, where);
  }
}
