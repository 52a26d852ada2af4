import type { Host } from '../../host/host.ts';
import { readCloudInitState } from './boot/cloud-init.ts';
import { CloudInitBoot } from './boot/cloud-init-boot.ts';
import { IgnitionBoot, isIgnitionBoot } from './boot/ignition.ts';
import type { Observation } from './boot/observed-sequence.ts';

/**
 * Watches a boot in which others do the work and no Slipway bootstrap runs: cloud-init with kubeadm among its commands,
 * or a unit that Ignition has brought. Both are told as a sequence of what runs kubeadm and kubeadm itself.
 */
export class Observer {
  readonly #host: Host;
  readonly #cloudInit: CloudInitBoot;
  readonly #ignition: IgnitionBoot;
  /** Slipway is set up to do the work: it tells by itself, unless it is never called. */
  readonly #expectsSlipway: boolean;
  #isUnderWay = false;

  constructor(host: Host, boot: string, expectsSlipway: boolean) {
    this.#host = host;
    this.#cloudInit = new CloudInitBoot(host, boot, expectsSlipway);
    this.#ignition = new IgnitionBoot(host, boot, expectsSlipway);
    this.#expectsSlipway = expectsSlipway;
  }

  /** It has begun and not ended: what it will come to is open, however long that takes. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** What there is to tell since the last look. @param sentinel Cluster API's sentinel is there */
  async look(sentinel: boolean): Promise<Observation[]> {
    const view = await readCloudInitState(this.#host);
    const isIgnition = view === undefined && (await isIgnitionBoot(this.#host));
    const boot = isIgnition ? this.#ignition : this.#cloudInit;
    const told = isIgnition
      ? await this.#ignition.look(sentinel)
      : await this.#cloudInit.look(view, sentinel);
    this.#isUnderWay = boot.isUnderWay;
    return !this.#expectsSlipway || boot.hasFailed ? told : [];
  }
}
