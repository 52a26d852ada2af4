import type { Host } from '../../../host/host.ts';
import { type Check, readText } from '../check.ts';
import { preflightFinding } from '../finding.ts';

/** overlay: the file system on which container runtimes put images by default. */
export const modules: Check = {
  name: 'kernel modules',
  async run(host) {
    const filesystems = await readText(host, '/proc/filesystems');
    if (filesystems === undefined || /\boverlay$/m.test(filesystems)) return [];
    const release = (await readText(host, '/proc/sys/kernel/osrelease'))?.trim() ?? '';
    if (release === '' || (await isLoadable(host, release))) return [];
    const message = 'the kernel has no overlay file system, on which container runtimes put images';
    const remedy = 'Use a kernel with the module overlay, or configure another snapshotter.';
    return [preflightFinding('warning', 'KernelSettingWrong', message, { remedy })];
  },
};

/** If modprobe knows it, the runtime's first mount loads it. Without modprobe's lists, assume that. */
async function isLoadable(host: Host, release: string): Promise<boolean> {
  const lists = await Promise.all(
    ['modules.dep', 'modules.builtin'].map(async (name) =>
      (await host.files.readIfPresent(`/lib/modules/${release}/${name}`))?.toString('utf8'),
    ),
  );
  return lists.every((list) => list === undefined) || lists.some((list) => /\/overlay\.ko/.test(list ?? ''));
}
