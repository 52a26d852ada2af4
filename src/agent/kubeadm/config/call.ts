import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import type { CallReading } from './read-call.ts';

/**
 * The one place where a bootstrap parses the configuration of its call of kubeadm (`knownSecrets` looks through its bytes). An earlier step may write
 * the file and a command of the user may change it, so it is looked at each time, but parsed again only when
 * its content is another.
 */
export class KubeadmCall {
  readonly #host: Host;
  readonly #command: KubeadmCommand;
  #last: { bytes: Buffer | undefined; reading: CallReading } | undefined;

  constructor(host: Host, command: KubeadmCommand) {
    this.#host = host;
    this.#command = command;
  }

  /** Content of the file; undefined where the call names none, or it is not there. */
  async bytes(): Promise<Buffer | undefined> {
    const { configPath } = this.#command;
    return configPath === undefined ? undefined : this.#host.files.readIfPresent(configPath);
  }

  /** @throws HostError when the file cannot be read. */
  async read(): Promise<CallReading> {
    const bytes = await this.bytes();
    if (this.#last === undefined || !isSame(this.#last.bytes, bytes)) {
      // Loaded late: a bootstrap without kubeadm needs no YAML of kubeadm's.
      const { readCall } = await import('./read-call.ts');
      this.#last = { bytes, reading: readCall(this.#command, bytes?.toString('utf8')) };
    }
    return this.#last.reading;
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
