import { PATCHES_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { patchesDirectory } from '../../kubeadm/config/patches.ts';
import type { Runner } from '../shell/runner.ts';

/** Patches for what kubeadm makes, in the directory that it reads: its configuration's, else /etc/kubernetes/patches. */
export const kubeadmPatches: Runner<'kubeadm-patches'> = {
  async run({ entries, command }, { host }) {
    const directory = (await givenDirectory(host, command)) ?? PATCHES_DIR;
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

  async holds({ entries, command }, host) {
    const directory = (await givenDirectory(host, command)) ?? PATCHES_DIR;
    for (const { name } of entries)
      if ((await host.files.stat(`${directory}/${name}`)) === undefined) return false;
    return true;
  },
};

async function givenDirectory(
  host: Host,
  { verb, args, configPath }: { verb: 'init' | 'join'; args: { reveal(): string[] }; configPath?: string },
): Promise<string | undefined> {
  const text = configPath === undefined ? undefined : await host.files.readIfPresent(configPath);
  return patchesDirectory(verb, args.reveal(), text?.toString('utf8'));
}
