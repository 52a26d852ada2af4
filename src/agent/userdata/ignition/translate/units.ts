import { omitUndefined } from '../../../../kit/json.ts';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { UnitEntry } from '../../../document/document.ts';
import type { Places } from '../schema/bind.ts';
import type { Config } from '../schema/spec3.ts';

/** Units of a config. One without contents has no file, but may have drop-ins. */
export function unitsOf({ systemd = {} }: Config, places: Places): UnitEntry[] {
  return (systemd.units ?? []).map((unit) => {
    const { name = '', contents, dropins = [], enabled, mask } = unit;
    const { where } = places.of(unit);
    return {
      name,
      ...(contents ? { content: sensitive(contents) } : {}),
      dropIns: dropins.flatMap((dropIn) =>
        dropIn.contents === undefined
          ? []
          : [{ name: dropIn.name ?? '', content: sensitive(dropIn.contents) }],
      ),
      ...omitUndefined({ enabled, masked: mask }),
      ...(where ? { where } : {}),
    };
  });
}
