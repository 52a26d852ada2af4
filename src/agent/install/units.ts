/** JSON: texts by the names of the files. */
declare const SLIPWAY_UNITS: string | undefined;

/**
 * The text of a unit file of systemd/, or of a file of windows/, which the build puts into the binary.
 *
 * @param name e.g. `slipway.service`
 * @throws Error where no build has put it in: `slipway install` copies a binary, so it needs one anyway.
 */
export function unitFile(name: string): string {
  const units: Readonly<Record<string, string>> =
    typeof SLIPWAY_UNITS === 'undefined' ? {} : JSON.parse(SLIPWAY_UNITS);
  const text = units[name];
  if (text === undefined) throw new Error(`${name} is not in this program; npm run build puts it in`);
  return text;
}
