import type { Config, Unit } from '../schema/spec3.ts';
import { parseUnit } from '../unit/unit-file.ts';
import type { Remarks } from './remarks.ts';
import { dropInNameProblem, unitNameProblem } from './values.ts';

const INSTANCE = /^(.+?)@(.+?)\.service$/;

/** What Ignition 3 says of systemd's units and their drop-ins before it acts. */
export function checkUnits({ systemd = {} }: Config, say: Remarks): void {
  const units = systemd.units ?? [];
  for (const unit of units) {
    const { name = '', contents, dropins = [] } = unit;
    say.error(unit, ['name'], nameProblem(name) ?? unitNameProblem(name));
    for (const dropIn of dropins) {
      const problem = parseUnit(dropIn.contents ?? '').problem;
      say.error(dropIn, ['contents'], problem && `is no systemd unit: ${problem}`);
      const dropInName = dropIn.name ?? '';
      say.error(dropIn, ['name'], nameProblem(dropInName) ?? dropInNameProblem(dropInName));
    }
    const { problem, options } = parseUnit(contents ?? '');
    say.error(unit, ['contents'], problem && `is no systemd unit: ${problem}`);
    if (problem === undefined && contents && unit.enabled === true) {
      if (!options.some(({ section }) => section === 'Install'))
        say.warn(unit, ['contents'], 'has no [Install] section, so enabling the unit does nothing');
    }
    checkInstance(unit, units, say);
  }
}

/** A name becomes a file's name, and must not lead anywhere else. */
function nameProblem(name: string): string | undefined {
  return /[/\0\s]/.test(name) ? 'must be a name without "/" and white space' : undefined;
}

function checkInstance(unit: Unit, units: readonly Unit[], say: Remarks): void {
  const [, prefix] = INSTANCE.exec(unit.name ?? '') ?? [];
  if (prefix === undefined || unit.enabled !== true) return;
  const template = units.findLast(({ name }) => name === `${prefix}@.service`);
  if (!template?.contents) return;
  const { problem, options } = parseUnit(template.contents);
  if (problem === undefined && !options.some(({ section }) => section === 'Install'))
    say.warn(unit, ['contents'], `comes from ${prefix}@.service, which has no [Install] section`);
}
