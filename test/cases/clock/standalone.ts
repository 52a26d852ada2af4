import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteTokens } from '../../../src/controller/attest/sqlite-tokens.ts';
import { makeToken } from '../../../src/controller/attest/token.ts';
import { sqliteKeys } from '../../../src/controller/keys/keys.ts';
import type { NodeRecord, StoredEvent } from '../../../src/controller/model/node-record.ts';
import type { Phase } from '../../../src/controller/model/summary.ts';
import { databasePath } from '../../../src/controller/serve/standalone.ts';
import { SqliteStore } from '../../../src/controller/store/sqlite-store.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import { HOUR_MS, type SteppedClock } from '../../support/stepped-clock.ts';
import { forgiven } from './forgiven.ts';
import { RealMachine } from './real-machine.ts';

const NAMESPACE = 'default';

/** A controller without a cluster under one clock, and real machines under another one. */
export class Standalone {
  readonly clocks: { readonly controller: SteppedClock; readonly node: SteppedClock };
  readonly data: string;
  readonly controllers: ControllerProcess[];
  readonly ca: string;
  readonly #store: SqliteStore;
  readonly #machines: Promise<RealMachine>[] = [];

  private constructor(
    clocks: Standalone['clocks'],
    data: string,
    controller: ControllerProcess,
    store: SqliteStore,
    ca: string,
  ) {
    this.clocks = clocks;
    this.data = data;
    this.controllers = [controller];
    this.#store = store;
    this.ca = ca;
  }

  static async start(clocks: Standalone['clocks']): Promise<Standalone> {
    const data = mkdtempSync(join(tmpdir(), 'slipway-clock-'));
    const controller = await ControllerProcess.start(words(data), clocks.controller.command);
    const store = new SqliteStore(databasePath(data));
    return new Standalone(clocks, data, controller, store, (await sqliteKeys(store)).authority.certificate);
  }

  get controller(): ControllerProcess {
    return this.controllers.at(-1) as ControllerProcess;
  }

  /** Ends the controller and starts another one in its place, by whatever its clock shows then. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    const { port } = this.controller;
    await this.controller.end(signal);
    const again = [...words(this.data), `--listen=127.0.0.1:${port}`];
    this.controllers.push(await ControllerProcess.start(again, this.clocks.controller.command));
  }

  /** A token for one machine, made by the controller's clock. */
  async token(machine: string): Promise<string> {
    // Twice as long as a clock is set forward: when it runs out is the one thing that goes by the controller's clock.
    const expiresAt = this.clocks.controller.now() + 2 * HOUR_MS;
    const { token, record } = makeToken({ namespace: NAMESPACE, machine, expiresAt });
    await new SqliteTokens(this.#store).add(record);
    return token;
  }

  async simulated(name: string): Promise<SimulatedMachine> {
    const machine = new SimulatedMachine({ port: this.controller.port, ca: this.ca, instance: name });
    const token = await this.token(name);
    await eventually(`${name} was given a certificate`, async () => {
      await machine.enrol(token).catch(forgiven);
      return machine.certificate;
    });
    return machine;
  }

  /** A real machine whose agent runs these commands. */
  real(name: string, commands: readonly string[]): Promise<RealMachine> {
    const { port } = this.controller;
    const starting = this.token(name).then((token) =>
      RealMachine.start({ name, clock: this.clocks.node, port, ca: this.ca, token, commands }),
    );
    this.#machines.push(starting);
    // Whoever needs it awaits it; until then its failure is nobody's.
    starting.catch(() => undefined);
    return starting;
  }

  find(name: string): Promise<NodeRecord | undefined> {
    return this.#store.find(NAMESPACE, name);
  }

  events(name: string): Promise<StoredEvent[]> {
    return this.#store.events(NAMESPACE, name);
  }

  /** Waits until the controller has stored that. @returns milliseconds it took */
  async phaseIs(name: string, phase: Phase): Promise<number> {
    const began = performance.now();
    const look = async () => (await this.find(name))?.summary.phase === phase || undefined;
    await eventually(`phase ${phase} of ${name}`, look);
    return performance.now() - began;
  }

  /** What the controller and the machines said last, for who looks for the reason of a failure. */
  async lastWords(): Promise<string> {
    const lines = (name: string, text: string[]) => text.slice(-6).map((line) => `${name}: ${line}`);
    const machines = (await this.#started()).flatMap(({ name, log }) => lines(name, log.trim().split('\n')));
    return [...lines('controller', this.controller.lines), ...machines].join('\n');
  }

  async #started(): Promise<RealMachine[]> {
    const machines = await Promise.allSettled(this.#machines);
    return machines.flatMap((machine) => (machine.status === 'fulfilled' ? [machine.value] : []));
  }

  async stop(): Promise<void> {
    for (const machine of await this.#started()) await machine.stop();
    for (const controller of this.controllers) await controller.end('SIGKILL');
    await this.#store.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}

function words(data: string): string[] {
  return ['--standalone', `--data=${data}`];
}
