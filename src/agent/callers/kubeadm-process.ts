import type { Host } from '../host/host.ts';

/** A `kubeadm init` or `kubeadm join` that somebody else started. */
export interface KubeadmProcess {
  pid: number;
  verb: 'init' | 'join';
}

/**
 * A process of root on this machine whose arguments begin with one of these words, or call kubeadm in a shell's text (`sh -c`).
 * What users and containers call their processes holds nobody up.
 *
 * @returns its arguments, or undefined where there is none
 */
export async function findProcess(
  host: Host,
  words: readonly string[],
  isCall: (text: string) => boolean,
): Promise<readonly string[] | undefined> {
  for (const name of await host.ownFiles.list('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const args = (await read(host, name, 'cmdline')).split('\0').filter((word) => word !== '');
    const isOne = args.some((arg) => words.some((word) => arg.startsWith(word))) || isCall(args.join(' '));
    if (isOne && (await isHere(host, name)) && (await isOfRoot(host, name))) return args;
  }
  return undefined;
}

/** Finds kubeadm among the machine's processes. It reads each process once, so a look costs next to nothing. */
export class KubeadmProcessFinder {
  readonly #host: Host;
  #known = new Map<string, KubeadmProcess | undefined>();

  constructor(host: Host) {
    this.#host = host;
  }

  async look(): Promise<KubeadmProcess[]> {
    const names = (await this.#host.ownFiles.list('/proc')).filter((name) => /^\d+$/.test(name));
    const known = new Map<string, KubeadmProcess | undefined>();
    for (const name of names) {
      // A process that was just forked still shows its parent's program.
      const seen = this.#known.get(name);
      known.set(name, seen ?? (this.#known.has(name) ? undefined : await this.#identify(name)));
    }
    this.#known = known;
    return [...known.values()].filter((found) => found !== undefined);
  }

  async #identify(name: string): Promise<KubeadmProcess | undefined> {
    const [program = '', verb] = (await read(this.#host, name, 'cmdline')).split('\0');
    if (!/(?:^|\/)kubeadm$/.test(program) || (verb !== 'init' && verb !== 'join')) return undefined;
    if (!(await isHere(this.#host, name)) || !(await isOfRoot(this.#host, name))) return undefined;
    // Anybody can call a process kubeadm, and by a link also one that gets root's rights, such as sudo.
    const file = (await link(this.#host, name, 'exe')).replace(/ \(deleted\)$/, '');
    return /\/kubeadm[^/]*$/.test(file) ? { pid: Number(name), verb } : undefined;
  }
}

/** One in a container (kind and the like) makes another machine a node. */
async function isHere(host: Host, name: string): Promise<boolean> {
  const space = await link(host, name, 'ns/pid');
  return space !== '' && space === (await link(host, 'self', 'ns/pid'));
}

async function isOfRoot(host: Host, name: string): Promise<boolean> {
  const [, ids = ''] = /^Uid:\s+(.*)$/m.exec(await read(host, name, 'status')) ?? [];
  return /^0\s+0\s+0\s+0$/.test(ids);
}

async function link({ ownFiles }: Host, name: string, what: string): Promise<string> {
  try {
    return await ownFiles.readlink(`/proc/${name}/${what}`);
  } catch {
    // It ended meanwhile.
    return '';
  }
}

async function read({ ownFiles }: Host, name: string, what: string): Promise<string> {
  try {
    return (await ownFiles.readIfPresent(`/proc/${name}/${what}`))?.toString('utf8') ?? '';
  } catch {
    // It ended meanwhile.
    return '';
  }
}
