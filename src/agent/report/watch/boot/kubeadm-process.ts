import type { Host } from '../../../host/host.ts';

/** A `kubeadm init` or `kubeadm join` that somebody else started. */
export interface KubeadmProcess {
  pid: number;
  verb: 'init' | 'join';
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
    const [program = '', verb] = (await this.#commandLine(name)).split('\0');
    if (!/(?:^|\/)kubeadm$/.test(program)) return undefined;
    // One in a container (kind and the like) makes another machine a node.
    const space = await this.#namespace(name);
    if (space === '' || space !== (await this.#namespace('self'))) return undefined;
    return verb === 'init' || verb === 'join' ? { pid: Number(name), verb } : undefined;
  }

  async #namespace(name: string): Promise<string> {
    try {
      return await this.#host.ownFiles.readlink(`/proc/${name}/ns/pid`);
    } catch {
      // It ended meanwhile.
      return '';
    }
  }

  async #commandLine(name: string): Promise<string> {
    try {
      return (await this.#host.ownFiles.readIfPresent(`/proc/${name}/cmdline`))?.toString('utf8') ?? '';
    } catch {
      // It ended meanwhile.
      return '';
    }
  }
}
