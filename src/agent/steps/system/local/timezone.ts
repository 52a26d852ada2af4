import { Problem } from '../../../tools/problem.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/attempt.ts';

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
        throw new Problem('SystemSettingFailed', `There is no time zone ${name}: ${zone} is no file`);
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
