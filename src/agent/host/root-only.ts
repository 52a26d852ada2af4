import type { FileStat } from './files.ts';
import type { Host } from './host.ts';

const WRITABLE_BY_OTHERS = 0o022;
/** The bit of a directory in which nobody renames or removes what is another one's. */
const STICKY = 0o1000;

/**
 * Why root may not act upon a file of its own configuration: somebody else can change it, or a directory on the way to it, and with
 * that put another file in its place. Undefined where only root can, and where the file is missing. An agent that is not root may
 * trust its own user too.
 */
export async function changeableByOthers(host: Host, path: string): Promise<string | undefined> {
  const real = await host.files.real(path);
  const file = await host.ownFiles.stat(real);
  if (file === undefined) return undefined;
  const own = objection(path, file);
  if (own !== undefined) return own;
  // Where the path is a link, whoever owns the directory of the link says where it leads.
  const named = await host.files.real(directoryOf(path));
  const nearest = directoryOf(real);
  for (const directory of new Set([...wayTo(nearest, host.root), ...wayTo(named, host.root)])) {
    const stat = await host.ownFiles.stat(directory);
    if (stat === undefined) continue;
    const isNearest = directory === nearest || directory === named;
    const why = objection(
      isNearest ? `the directory of ${path}` : `${directory}, on the way to ${path},`,
      !isNearest && (stat.mode & STICKY) !== 0 ? { ...stat, mode: 0 } : stat,
    );
    if (why !== undefined) return why;
  }
  return undefined;
}

function objection(what: string, { uid, mode }: FileStat): string | undefined {
  if (uid !== 0 && uid !== process.geteuid?.()) return `${what} belongs to user ${uid}, not root`;
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    return `${what} can be written by others than root (mode 0${mode.toString(8)})`;
  return undefined;
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** The directory and all above it within the machine, the nearest first. */
function wayTo(directory: string, root: string): string[] {
  const above = directoryOf(directory);
  return directory === root || above === directory ? [] : [directory, ...wayTo(above, root)];
}
