import { cp, link, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { fullRoot, plainLayer } from '../root/debian-root.ts';
import { inRootOk } from '../root/in-root.ts';
import { nodeLayer } from '../root/node-layer.ts';
import { imageTars, type Role } from './images.ts';

type Say = (line: string) => void;

/** Starts containerd with nothing around it, imports every archive, and stops it again so that its state is whole. */
const IMPORT = `
mkdir -p /run/containerd
containerd --log-level error > /tmp/containerd.log 2>&1 &
daemon=$!
until ctr version >/dev/null 2>&1; do
  kill -0 $daemon || { cat /tmp/containerd.log; exit 1; }
  sleep 0.05
done
for tar in /images/*.tar; do ctr --namespace k8s.io images import "$tar" >/dev/null; done
ctr --namespace k8s.io images ls -q
kill -TERM $daemon
wait $daemon || [ $? -eq 143 ]
`;

/** A /var/lib/containerd that has the role's images imported and unpacked; `cloneContainerdState` gives a machine its own. */
export async function containerdState(role: Role, say?: Say): Promise<string> {
  const [root, plain, node] = [await fullRoot(say), await plainLayer(say), await nodeLayer(say)];
  const images = await imageTars(role, root, say);
  return cached(
    {
      name: `containerd-${role}`,
      recipe: { root, plain, node, images, script: IMPORT, version: 1 },
      make: async (dir) => {
        await inRootOk({
          what: `importing the ${role} images into containerd`,
          lower: [node, plain, root],
          binds: [
            { from: images, to: '/images', readOnly: true },
            { from: dir, to: '/var/lib/containerd' },
          ],
          script: IMPORT,
          timeoutMs: 600_000,
        });
      },
    },
    say,
  );
}

/**
 * A copy of containerd's state for one machine, in milliseconds: blobs and unpacked layers never change once they are
 * there (containers write to snapshots of their own), so they are hard links; the databases are copied.
 */
export async function cloneContainerdState(from: string, to: string): Promise<void> {
  const { mode } = await stat(from);
  await mkdir(to, { mode: mode & 0o7777 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await cloneContainerdState(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.isFile() && entry.name.endsWith('.db')) await cp(source, target);
    else if (entry.isFile()) await link(source, target);
  }
}
