import type { Remarks } from '../check/remarks.ts';
import type { Config } from '../schema/spec3.ts';

/** Refuses what Slipway does not do, before anything is done. */
export function refuseRest({ storage = {}, kernelArguments = {} }: Config, say: Remarks): void {
  const refuse = (list: readonly object[] | undefined, what: string) => {
    for (const one of list ?? []) say.error(one, [], what);
  };
  refuse(storage.raid, 'makes a RAID array, which Slipway does not do');
  refuse(storage.luks, 'encrypts a device, which Slipway does not do');
  if ([...(kernelArguments.shouldExist ?? []), ...(kernelArguments.shouldNotExist ?? [])].length > 0)
    say.error(kernelArguments, [], 'changes the kernel command line, which Slipway does not do');
}
