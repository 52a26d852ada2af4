import type { KernelArgumentsEntry } from '../../../document/document.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Config } from '../schema/spec3.ts';

/** Settings of boot loaders are read by shells, and a space would make two arguments of one. */
const ARGUMENT = /^[\x21-\x7e]+$/;
const OF_A_SHELL = /["'`$\\]/;

/** Kernel arguments that a config wants present or absent. One that no boot loader takes as it is, is an error. */
export function kernelArgumentsOf(
  { kernelArguments = {} }: Config,
  say: Remarks,
): { kernelArguments?: KernelArgumentsEntry } {
  const { shouldExist = [], shouldNotExist = [] } = kernelArguments;
  for (const list of [shouldExist, shouldNotExist])
    for (const [index, one] of list.entries())
      if (one !== '' && (!ARGUMENT.test(one) || OF_A_SHELL.test(one)))
        say.error(
          list,
          [index],
          'has a space, a quote or another character that no boot loader takes as it is',
        );
  const [present, absent] = [shouldExist, shouldNotExist].map((list) => list.filter((one) => one !== '')) as [
    string[],
    string[],
  ];
  return present.length + absent.length === 0 ? {} : { kernelArguments: { present, absent } };
}
