import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { LabError, run } from '../process/command.ts';

/**
 * Kernel parts that a machine cannot load for itself, and by what one sees that they are there. Built in, or loaded
 * already, on most hosts; where not, they are loaded and stay, as they would for any container.
 */
const NEEDED: readonly { module: string; present: () => Promise<boolean> }[] = [
  { module: 'overlay', present: async () => /\boverlay$/m.test(await readFile('/proc/filesystems', 'utf8')) },
  { module: 'br_netfilter', present: async () => existsSync('/proc/sys/net/bridge/bridge-nf-call-iptables') },
];

/** @throws LabError naming the module that the kernel has not and cannot load */
export async function needKernelModules(): Promise<void> {
  for (const { module, present } of NEEDED) {
    if (await present()) continue;
    const done = await run('modprobe', [module]);
    if (done.code !== 0 || !(await present())) {
      throw new LabError(
        `the kernel of this host has no ${module}, which the lab needs: ${done.stderr.trim()}`,
      );
    }
  }
}
