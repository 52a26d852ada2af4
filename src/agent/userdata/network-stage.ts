import { ExpectedError } from '../../kit/errors.ts';
import type { Failure } from '../../protocol/journal.ts';
import type { Diagnostic } from '../document/document.ts';
import type { NetworkSettings } from '../document/network-settings.ts';
import { failure } from '../engine/failure.ts';
import type { Host } from '../host/host.ts';
import type { NetworkConfig } from '../platform/instance/instance.ts';
import type { NetworkChoice } from './network/choose-network.ts';

/** cloud-init has run in this boot, and has set up the network. */
const CLOUD_INIT = '/run/cloud-init/instance-data.json';

/** Sets a network up. @throws Problem */
export type SetUpNetwork = (settings: NetworkSettings) => Promise<void>;

/** There is no network to ask over: its configuration is wrong, or it could not be set up. */
export class NetworkUnavailable extends ExpectedError {
  override readonly name = 'NetworkUnavailable';
  readonly failure: Failure;
  readonly permanent: boolean;

  constructor(reason: Failure, permanent: boolean) {
    super(reason.cause);
    this.failure = reason;
    this.permanent = permanent;
  }
}

/**
 * The network while user data is looked for: the first who asks somebody over it waits until it is set up as the machine's
 * configuration says, as far as that is known then.
 */
export class NetworkStage {
  /** The machine, as sources and what fetches for them are to see it. */
  readonly host: Host;
  readonly #machine: Host;
  readonly #setUp: SetUpNetwork | undefined;
  #offered: NetworkConfig | undefined;
  #choice: Promise<NetworkChoice> | undefined;
  #up: Promise<void> | undefined;
  #wasUsed = false;

  /** @param setUp Absent where nothing is to be changed: what is there is used */
  constructor(machine: Host, setUp?: SetUpNetwork) {
    this.#machine = machine;
    this.#setUp = setUp;
    this.host = { ...machine, network: { ...machine.network, client: (options) => this.#client(options) } };
  }

  /** A configuration that lies on the machine itself, known before anybody is asked. */
  offer(config: NetworkConfig): void {
    this.#offered = config;
    this.#choice = undefined;
  }

  /** What comes of `config`, which the source has given; one that came over the network itself changes nothing of it. */
  async decide(config: NetworkConfig | undefined): Promise<NetworkChoice> {
    if (await this.#isDone()) return { report: [] };
    const isFresh = config !== undefined && config.text !== this.#offered?.text;
    if (isFresh && !this.#wasUsed) this.offer(config);
    const choice = await this.#chosen();
    if (!isFresh || !this.#wasUsed) return choice;
    const message = `${config.place} was fetched over the network, so the network works and is not changed.`;
    const told: Diagnostic = { severity: 'warning', code: 'UserDataIgnoredKey', message };
    return { ...choice, report: [...choice.report, told] };
  }

  /** Resolves when the network is set up; for whoever asks over it in another way. @throws NetworkUnavailable */
  async ready(): Promise<void> {
    this.#up ??= this.#bringUp();
    await this.#up;
  }

  async #chosen(): Promise<NetworkChoice> {
    this.#choice ??= import('./network/choose-network.ts').then(({ chooseNetwork }) =>
      chooseNetwork(this.#machine, this.#offered),
    );
    return this.#choice;
  }

  async #isDone(): Promise<boolean> {
    return (await this.#machine.files.stat(CLOUD_INIT)) !== undefined;
  }

  #client(options: Parameters<Host['network']['client']>[0]): ReturnType<Host['network']['client']> {
    const client = this.#machine.network.client(options);
    if (options.socketPath !== undefined) return client;
    return {
      send: async (request) => {
        await this.ready();
        this.#wasUsed = true;
        return client.send(request);
      },
      close: () => client.close(),
    };
  }

  async #bringUp(): Promise<void> {
    if (this.#setUp === undefined || (await this.#isDone())) return;
    const { settings, report } = await this.#chosen();
    const wrong = report.find(({ severity }) => severity === 'error');
    if (wrong !== undefined) throw new NetworkUnavailable(failure(wrong.code, wrong.message), true);
    if (settings === undefined) return;
    try {
      await this.#setUp(settings);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      throw new NetworkUnavailable(failure('NetworkNotConfigured', error.message), false);
    }
  }
}
