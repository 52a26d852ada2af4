import type { Host } from './host.ts';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Why root may not act upon a file of its own configuration: somebody else can change it, or the directory that holds it.
 * Undefined where only root can, and where the file is missing. An agent that is not root may trust its own user too.
 */
export async function changeableByOthers(host: Host, path: string): Promise<string | undefined> {
  const real = await host.files.real(path);
  const file = await host.ownFiles.stat(real);
  if (file === undefined) return undefined;
  const directory = await host.ownFiles.stat(real.slice(0, Math.max(1, real.lastIndexOf('/'))));
  for (const [what, stat] of [
    [path, file],
    [`the directory of ${path}`, directory],
  ] as const) {
    if (stat === undefined) continue;
    if (stat.uid !== 0 && stat.uid !== process.geteuid?.())
      return `${what} belongs to user ${stat.uid}, not root`;
    if ((stat.mode & WRITABLE_BY_OTHERS) !== 0)
      return `${what} can be written by others than root (mode 0${stat.mode.toString(8)})`;
  }
  return undefined;
}
