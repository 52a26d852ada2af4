import type { KubeadmCommand } from '../../document/document.ts';
import type { NamedText } from '../../document/node-settings.ts';
import { PATCHES_DIR } from '../../document/paths.ts';
import type { Work } from '../kind/step-kind.ts';

export interface PatchesSpec {
  entries: NamedText[];
  command: KubeadmCommand;
}

/**
 * Writes patches into the directory that kubeadm reads: its configuration names it, else
 * /etc/kubernetes/patches.
 */
export const writePatches: Work<PatchesSpec> = ({ entries, command }, { call }) => ({
  async run({ host }) {
    const directory = (await call(command).read()).config?.patchesDirectory ?? PATCHES_DIR;
    await host.files.mkdir(directory, 0o700);
    await host.files.writeAll(
      entries.map(({ name, content }) => ({
        path: `${directory}/${name}`,
        content: content.reveal(),
        options: { mode: 0o600 },
      })),
    );
    return { done: true, message: `${entries.map(({ name }) => name).join(', ')} in ${directory}` };
  },

  async holds(host) {
    const directory = (await call(command).read()).config?.patchesDirectory ?? PATCHES_DIR;
    for (const { name } of entries)
      if ((await host.files.stat(`${directory}/${name}`)) === undefined) return false;
    return true;
  },
});
