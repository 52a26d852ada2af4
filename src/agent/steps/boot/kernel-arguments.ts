import type { KernelArgumentsEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { attempt } from '../tools/each-entry.ts';
import { isAsAsked, loaders } from './loaders.ts';

/**
 * Changes what the boot loader gives the kernel (Ignition's stage `kargs`). The machine runs already, so it counts from the next
 * boot on, which a finding says; Slipway does not reboot a machine that somebody else has started.
 */
export const changeKernelArguments: Work<KernelArgumentsEntry> = (asked) => ({
  run: (context) => attempt(() => change(asked, context)),
});

async function change(asked: KernelArgumentsEntry, context: StepContext): Promise<string> {
  const { host, finding } = context;
  for (const { name, isThere, change: changeIt } of loaders) {
    if (!(await isThere(host))) continue;
    await changeIt(asked, context);
    const running = (await host.files.readIfPresent('/proc/cmdline'))?.toString('utf8').trim() ?? '';
    if (isAsAsked(running, asked)) return `${name} has them, and so has the kernel that runs`;
    const message = `The kernel's arguments are changed for ${name}; the kernel that runs has them from the next boot on.`;
    await finding({ severity: 'warning', code: 'KernelArgumentsLater', message });
    return `changed for ${name}`;
  }
  throw new StepError(
    'KernelArgumentsNotSet',
    'The kernel arguments were not changed: this machine has no boot loader that Slipway knows (ostree, grubby, update-grub, entries of systemd-boot)',
  );
}
