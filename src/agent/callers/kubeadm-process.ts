import type { Host } from '../host/host.ts';

/** A `kubeadm init` or `kubeadm join` that somebody else started. */
export interface KubeadmProcess {
  pid: number;
  verb: 'init' | 'join';
}

/**
 * Processes of this machine whose arguments have one of these words, or call kubeadm in a shell's text (`sh -c`).
 *
 * @returns the arguments of one of them, or undefined where there is none
 */
export async function findRunning(
  { ownFiles }: Host,
  words: readonly string[],
  isCall: (text: string) => boolean,
): Promise<readonly string[] | undefined> {
  for (const name of await ownFiles.list('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const args = (
      (await ownFiles.readIfPresent(`/proc/${name}/cmdline`).catch(() => undefined))?.toString('utf8') ?? ''
    )
      .split('\0')
      .filter((word) => word !== '');
    if (args.some((arg) => words.some((word) => arg.startsWith(word))) || isCall(args.join(' '))) return args;
  }
  return undefined;
}

/** Finds kubeadm among the machine's processes. It reads each process once, so a look costs next to nothing. */
export class KubeadmProcesses {
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
    const [program = '', verb] = (await this.#read(name, 'cmdline')).split('\0');
    if (!/(?:^|\/)kubeadm$/.test(program) || (verb !== 'init' && verb !== 'join')) return undefined;
    // One in a container (kind and the like) makes another machine a node.
    const space = await this.#link(name, 'ns/pid');
    if (space === '' || space !== (await this.#link('self', 'ns/pid'))) return undefined;
    return (await this.#isOfRoot(name)) ? { pid: Number(name), verb } : undefined;
  }

  /**
   * Anybody can call a process kubeadm, and by a link also one that gets root's rights, such as sudo: so its user and the
   * file that it really runs count.
   */
  async #isOfRoot(name: string): Promise<boolean> {
    const [, ids = ''] = /^Uid:\s+(.*)$/m.exec(await this.#read(name, 'status')) ?? [];
    const program = (await this.#link(name, 'exe')).replace(/ \(deleted\)$/, '');
    return /^0\s+0\s+0\s+0$/.test(ids) && /\/kubeadm[^/]*$/.test(program);
  }

  async #link(name: string, what: string): Promise<string> {
    try {
      return await this.#host.ownFiles.readlink(`/proc/${name}/${what}`);
    } catch {
      // It ended meanwhile.
      return '';
    }
  }

  async #read(name: string, what: string): Promise<string> {
    try {
      return (await this.#host.ownFiles.readIfPresent(`/proc/${name}/${what}`))?.toString('utf8') ?? '';
    } catch {
      // It ended meanwhile.
      return '';
    }
  }
}
