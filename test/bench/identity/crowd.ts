import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { SimulatedTpm } from '../../support/tpm/simulated-tpm.ts';
import { fleetName } from '../fleet/fleet.ts';
import type { BenchScene } from '../fleet/scene.ts';

const MAX_TRIES = 200;
/** One process makes the keys and the TLS of all of them: so many may knock, and the others stand behind them. */
const KNOCKING = 128;

/** Machines with a TPM each, whose Machines name it. */
export class Crowd {
  /** Requests that had to be made again, by reason. */
  readonly troubles = new Map<string, number>();
  readonly #scene: BenchScene;
  readonly #tpms: SimulatedTpm[] = [];
  #begun = 0;

  constructor(scene: BenchScene) {
    this.#scene = scene;
  }

  /** Makes the Machines of all of them. */
  async create(machines: number): Promise<void> {
    for (let at = 0; at < machines; at += 50) {
      const some = Array.from({ length: Math.min(50, machines - at) }, () => new SimulatedTpm());
      const first = this.#tpms.push(...some) - some.length;
      await Promise.all(
        some.map((tpm, i) =>
          this.#scene.cluster.createMachine(fleetName(first + i), { endorsementKey: tpm.id }),
        ),
      );
    }
  }

  /** The next ones enrol one after the other. @returns milliseconds of each, connection included */
  async oneByOne(machines: number): Promise<number[]> {
    const times: number[] = [];
    for (let at = 0; at < machines; at += 1) {
      const began = performance.now();
      await this.#enrol(this.#begun++);
      times.push(performance.now() - began);
    }
    return times;
  }

  /**
   * The next ones want to enrol at once.
   *
   * @returns milliseconds until each had its certificate: since all began, and since it knocked first itself
   */
  async atOnce(
    machines: number,
    say: (line: string) => void,
  ): Promise<{ readonly sinceAll: number[]; readonly own: number[] }> {
    const began = performance.now();
    const sinceAll: number[] = [];
    const own: number[] = [];
    const last = this.#begun + machines;
    const oneAfterTheOther = async (): Promise<void> => {
      while (this.#begun < last) {
        const knocked = performance.now();
        await this.#enrol(this.#begun++);
        const now = performance.now();
        own.push(now - knocked);
        sinceAll.push(now - began);
        if (own.length % 1000 === 0) say(`${own.length} machines have certificates`);
      }
    };
    await Promise.all(Array.from({ length: KNOCKING }, oneAfterTheOther));
    return { sinceAll, own };
  }

  /** A machine asks again when it got no certificate, as the agent does: with exponential back-off and full jitter. */
  async #enrol(at: number): Promise<void> {
    const { ca, controller } = this.#scene;
    const tpm = this.#tpms[at];
    if (!tpm) throw new Error('there are not so many machines');
    // Addresses of the loopback, so that they are not all one client.
    const from = `127.1.${Math.floor(at / 250) % 250}.${(at % 250) + 1}`;
    const machine = new SimulatedMachine({ port: controller.port, ca, hostname: fleetName(at), from });
    for (let tries = 1; ; tries += 1) {
      try {
        await machine.enrolByTpm(tpm);
        return;
      } catch (error) {
        const why = (error as Error).message.slice(0, 60);
        this.troubles.set(why, (this.troubles.get(why) ?? 0) + 1);
        if (tries >= MAX_TRIES) throw error;
        machine.hangUp();
        await sleep(Math.random() * Math.min(30_000, 250 * 2 ** tries));
      } finally {
        machine.hangUp();
      }
    }
  }
}
