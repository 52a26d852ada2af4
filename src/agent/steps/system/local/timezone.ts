import type { Diagnostic } from '../../../document/document.ts';
import { printable } from '../../../text/diagnostics.ts';
import { StepError } from '../../../tools/step-error.ts';
import { machineToWarnOf, type PreviewContext, warningAt } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';
import { kindAt } from '../../tools/places.ts';

const ZONES = '/usr/share/zoneinfo';
const LOCAL = '/etc/localtime';
/** Debian's own note of the zone's name; others have only the link. */
const NAME = '/etc/timezone';

/** The system's time zone, by the link that everything reads (cloud-init's `cc_timezone`). */
export const setTimezone: Work<{ name: string }> = ({ name }) => ({
  onFailure: 'continue',
  run: ({ host }) =>
    attempt(async () => {
      const zone = `${ZONES}/${name}`;
      // Some zones are links to others.
      if ((await host.files.identity(zone)) === undefined)
        throw new StepError('SystemSettingFailed', `There is no time zone ${name}: ${zone} is no file`);
      const isDebian = (await host.files.stat('/etc/debian_version')) !== undefined;
      if (isDebian || (await host.files.stat(NAME))) await host.files.write(NAME, `${name}\n`);
      const present = await host.files.stat(LOCAL);
      if (present?.kind === 'symlink' && (await host.files.readlink(LOCAL)) === zone) return 'as it was';
      if (present && present.kind !== 'symlink') {
        const bytes = await host.files.read(zone);
        await host.files.write(LOCAL, bytes);
        return name;
      }
      const beside = `${LOCAL}.slipway`;
      await host.files.remove(beside);
      await host.files.symlink(zone, beside);
      await host.files.rename(beside, LOCAL);
      return name;
    }),
});

/** A zone that this machine has not, and that no file of the document brings. */
export async function previewTimezone(
  specs: readonly { name: string }[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const [{ name }] = specs as [{ name: string }];
  const zone = `${ZONES}/${name}`;
  if (host === undefined || context.document.files.some(({ path }) => path === zone)) return [];
  const kind = await kindAt(host.files, zone);
  if (kind === 'file' || kind === 'unknown') return [];
  const why = kind === 'directory' ? 'is a directory of zones' : 'is missing';
  const message = `There is no time zone ${printable(name)} on this machine: ${printable(zone)} ${why}`;
  return [warningAt(context.document, ['timezone'], 'SystemSettingFailed', message)];
}
