import type { Config2 } from '../schema/spec2.ts';
import { parseUnit } from '../unit/unit-file.ts';
import type { Remarks } from './remarks.ts';
import { dropInNameProblem, unitNameProblem } from './values.ts';

const NETWORK_TYPES = /\.(?:link|netdev|network)$/;

/** What Ignition 2 says of the units of systemd and networkd before it acts. */
export function checkUnits2({ systemd = {}, networkd = {} }: Config2, say: Remarks): void {
  for (const unit of systemd.units ?? []) {
    const { name = '', contents = '', enable, enabled } = unit;
    say.error(unit, ['name'], slash(name) ?? unitNameProblem(name));
    const { problem, options } = parseUnit(contents);
    say.error(unit, ['contents'], problem && `is no systemd unit: ${problem}`);
    const isEnabled = enable === true || enabled === true;
    if (isEnabled && contents !== '' && problem === undefined && options.length > 0) {
      if (!options.some(({ section }) => section === 'Install'))
        say.warn(unit, ['contents'], 'has no [Install] section, so enabling the unit does nothing');
    }
  }
  for (const unit of networkd.units ?? []) {
    const { name = '' } = unit;
    const wrong = NETWORK_TYPES.test(name) ? undefined : 'must end in .link, .netdev or .network';
    say.error(unit, ['name'], slash(name) ?? wrong);
    const { problem } = parseUnit(unit.contents ?? '');
    say.error(unit, ['contents'], problem && `is no unit of networkd: ${problem}`);
  }
  for (const unit of [...(systemd.units ?? []), ...(networkd.units ?? [])]) {
    for (const dropIn of unit.dropins ?? []) {
      const { name = '', contents = '' } = dropIn;
      say.error(dropIn, ['name'], slash(name) ?? dropInNameProblem(name));
      const { problem } = parseUnit(contents);
      say.error(dropIn, ['contents'], problem && `is no systemd unit: ${problem}`);
    }
  }
}

/** A name becomes a file's name, and must not lead anywhere else. */
function slash(name: string): string | undefined {
  return /[/\0]/.test(name) ? 'must be a name without "/"' : undefined;
}
