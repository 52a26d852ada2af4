import type { Remarks } from '../check/remarks.ts';
import type { Config } from '../schema/spec3.ts';

/** Refuses what Slipway does not do, before anything is done. */
export function rejectUnsupported({ storage = {} }: Config, say: Remarks): void {
  for (const luks of storage.luks ?? [])
    if (luks.cex?.enabled === true)
      say.error(luks, ['cex'], 'needs the crypto cards of a mainframe, which Slipway does not use');
}
