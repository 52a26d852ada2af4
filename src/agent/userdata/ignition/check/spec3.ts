import { CONFIG, type Config } from '../schema/spec3.ts';
import { checkDisks } from './disks.ts';
import { checkDuplicates } from './duplicates.ts';
import { checkEntries } from './entries.ts';
import type { Remarks } from './remarks.ts';
import { checkIgnition } from './resources.ts';
import { checkUnits } from './units.ts';
import { checkVolumes } from './volumes.ts';

/** What ignition-validate checks of a config of spec 3, whose minor version decides some of it. */
export function checkSpec3(config: Config, minor: number, say: Remarks): void {
  checkIgnition(config, minor, say);
  checkEntries(config, minor, say);
  checkDisks(config.storage ?? {}, say);
  checkVolumes(config.storage ?? {}, minor, say);
  checkUnits(config, say);
  checkDuplicates(config, CONFIG, say);
}
