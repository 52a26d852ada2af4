import type { FileStat } from './files.ts';
import type { Host } from './host.ts';

const WRITABLE_BY_OTHERS = 0o022;
/** The bit of a directory in which nobody renames or removes what is another one's. */
const STICKY = 0o1000;
/** As many as the kernel follows. */
const MOST_LINKS = 40;

/**
 * Why root may not act upon a file of its own configuration: somebody else can change it, or a directory or link on the way to it,
 * and with that put another file in its place. Undefined where only root can, and where the file is missing. An agent that is not root
 * may trust its own user too.
 */
export async function writableByOthers(host: Host, path: string): Promise<string | undefined> {
  // Its modes and owners mean nothing; Slipway's own folders are the administrators'.
  if (host.platform === 'windows') return undefined;
  const file = await host.ownFiles.stat(await host.files.real(path));
  if (file === undefined) return undefined;
  const own = objection(path, file);
  if (own !== undefined) return own;
  const passed = await wayTo(host, path);
  for (const [directory, decides] of [...passed].reverse()) {
    const stat = await host.files.stat(directory);
    if (stat === undefined) continue;
    const isNearest = decides && (directory === directoryOf(path) || directory === [...passed.keys()].at(-1));
    const why = objection(
      isNearest ? `the directory of ${path}` : `${shown(host, directory)}, on the way to ${path},`,
      !decides && (stat.mode & STICKY) !== 0 ? { ...stat, mode: 0 } : stat,
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

/**
 * Every directory below the machine's `/` that is looked into on the way to a file, that of the file last; true where it holds the file,
 * or a link of that way: whoever may write there says where it leads.
 */
async function wayTo(host: Host, path: string): Promise<Map<string, boolean>> {
  const passed = new Map<string, boolean>();
  const pass = (directory: string, decides: boolean): void => {
    const before = passed.get(directory) ?? false;
    passed.delete(directory);
    if (directory !== '') passed.set(directory, before || decides);
  };
  let at = '';
  let followed = 0;
  for (let names = namesIn(path); names.length > 0; ) {
    const [name = '', ...more] = names;
    const next = name === '..' ? directoryOf(at) : `${at}/${name}`;
    const isLink = name !== '..' && (await host.files.stat(next))?.kind === 'symlink';
    pass(at, isLink || more.length === 0);
    if (isLink && followed < MOST_LINKS) {
      followed += 1;
      const target = await host.files.readlink(next);
      names = [...namesIn(target), ...more];
      if (target.startsWith('/')) at = '';
    } else [at, names] = [next, more];
  }
  return passed;
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function shown({ root }: Host, directory: string): string {
  return root === '/' ? directory : `${root}${directory}`;
}
