import type { Diagnostic, Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { printable } from '../text/diagnostics.ts';
import { nearest } from '../text/nearest.ts';

const ZONES = '/usr/share/zoneinfo';
/** All of the tz database as text; zones and links to them have a line each. */
const LIST = `${ZONES}/tzdata.zi`;
const NAME = /^(?:Z (\S+)|L \S+ (\S+))/gm;

/**
 * A time zone that nobody knows. The machine that the user data is for may have fewer than the one that checks, so only a plan
 * knows the rest; where there is no list here, nothing is said.
 */
export async function unknownTimezone(
  { files }: Pick<Host, 'files'>,
  { system, files: written, keys = [] }: Pick<Document, 'system' | 'files' | 'keys'>,
): Promise<Diagnostic[]> {
  const name = system?.timezone?.name;
  if (name === undefined || written.some(({ path }) => path === `${ZONES}/${name}`)) return [];
  const list = (await files.readIfPresent(LIST).catch(() => undefined))?.toString('utf8');
  const known = new Set([...(list ?? '').matchAll(NAME)].map(([, zone, link]) => zone ?? link ?? ''));
  const isFile = (await files.identity(`${ZONES}/${name}`).catch(() => undefined)) !== undefined;
  if (known.size === 0 || known.has(name) || isFile) return [];
  const meant = nearest(name, known);
  const message = `The tz database has no time zone ${printable(name)}${meant === undefined ? '' : `; ${meant} is one`}.`;
  const where = keys.find((key) => key.name === 'timezone')?.where;
  return [{ severity: 'warning', code: 'SystemSettingFailed', message, ...(where ? { where } : {}) }];
}
