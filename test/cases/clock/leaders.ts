import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import type { SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import { HOUR_MS, type SteppedClock } from '../../support/stepped-clock.ts';
import type { Clustered } from './clustered.ts';

const STEPS: readonly [what: string, offsetMs: number][] = [
  ['an hour forward', HOUR_MS],
  ['two hours back', -HOUR_MS],
  ['to the truth', 0],
];

export interface Clocks {
  readonly first: SteppedClock;
  readonly second: SteppedClock;
}

/** Sets the clocks of controllers in a cluster: of the one that leads, then of two against each other. */
export async function leaders(scene: Clustered, clocks: Clocks, say: (line: string) => void): Promise<void> {
  const first = await scene.replica(clocks.first);
  await leads(first);
  const runner = new Runner(scene, await scene.begun('runner', first));
  try {
    for (const [at, [what, offsetMs]] of STEPS.entries()) {
      const before = await scene.begun(`before-${at}`, first);
      clocks.first.step(offsetMs);
      const tookMs = await scene.conclude(before, at % 2 === 1);
      const after = await scene.begun(`after-${at}`, first);
      await scene.conclude(after, at % 2 === 0);
      say(`the leader ${what}: the condition is there after ${Math.round(tookMs)} ms`);
    }
    clocks.first.step(-HOUR_MS);
    clocks.second.step(HOUR_MS);
    // It tells nothing from now on: all that the other one knows is when it was stored, by a clock two hours behind.
    const quiet = await scene.begun('quiet', first);
    const second = await scene.replica(clocks.second);
    await apart(scene, first, second);
    say('two controllers two hours apart: one leads, what the other one stores becomes a condition');
    await runner.connectTo(second);
    await first.end('SIGTERM');
    await handedOn(scene, quiet, second);
    say('the one that is ahead takes over: machines that run are told as running');
    await takenOver(scene, runner, clocks, second);
    say('the one that is behind takes over when the one that is ahead is gone');
    await scene.conclude(await runner.end(), false);
  } finally {
    await runner.end();
  }
  await scene.expectEverything();
  say('every event of every machine is stored once and in order in its NodeBootstrap');
}

/** The leader an hour behind, the other one an hour ahead. */
async function apart(scene: Clustered, first: ControllerProcess, second: ControllerProcess): Promise<void> {
  // Twice the time between two looks at the Lease.
  for (const end = performance.now() + 5_000; performance.now() < end; await sleep(100)) {
    assert.deepEqual([first.leads, second.leads], [true, false], 'the Lease stays where it is');
  }
  const machine = await scene.begun('across', first);
  machine.connectTo(second.port);
  await scene.conclude(machine, false);
}

async function handedOn(scene: Clustered, quiet: SimulatedMachine, second: ControllerProcess): Promise<void> {
  await leads(second);
  // What it has to say of the machines that it finds, it writes at once.
  await sleep(2_000);
  await scene.says('quiet', 'Unknown', 'Running');
  quiet.connectTo(second.port);
  await scene.conclude(quiet, false);
  await scene.conclude(await scene.begun('under-second', second), false);
}

async function takenOver(
  scene: Clustered,
  runner: Runner,
  clocks: Clocks,
  second: ControllerProcess,
): Promise<void> {
  const third = await scene.replica(clocks.first);
  const machine = await scene.begun('left', second);
  await runner.connectTo(third);
  await second.end('SIGKILL');
  // Not before the Lease has run out: src/controller/kube/lease.test.ts shows that by a clock of its own.
  await eventually('another leader', () => third.leads || undefined);
  machine.connectTo(third.port);
  await scene.conclude(machine, true);
}

async function leads(controller: ControllerProcess): Promise<void> {
  await eventually('a leader', () => controller.leads || undefined);
}

/** A machine that runs all the time; whatever its Machine says of it meanwhile is looked at. */
class Runner {
  readonly #scene: Clustered;
  readonly #machine: SimulatedMachine;
  readonly #running: Promise<void>;
  #ended = false;
  /** Of the replica that it is to talk to from now on. */
  #port = 0;

  constructor(scene: Clustered, machine: SimulatedMachine) {
    this.#scene = scene;
    this.#machine = machine;
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  /** Resolves when it talks to that one and to no other any more. */
  async connectTo({ port }: ControllerProcess): Promise<void> {
    this.#port = port;
    await eventually('another connection', () => this.#port === 0 || undefined);
  }

  /** @throws Error where it was told as anything but running, or was refused */
  async end(): Promise<SimulatedMachine> {
    this.#ended = true;
    await this.#running;
    return this.#machine;
  }

  async #run(): Promise<void> {
    const { identity } = this.#machine;
    for (let round = 0; !this.#ended; round += 1) {
      if (this.#port > 0) this.#machine.connectTo(this.#port);
      this.#port = 0;
      const { reason, message } = (await this.#scene.cluster.condition(identity.instance)) ?? {};
      assert.equal(reason, 'Running', message);
      if (round % 10 === 0) {
        this.#machine.tell({ type: 'heartbeat', sequence: 'a1b2c3' });
        await this.#machine.report();
      }
      await sleep(100);
    }
  }
}
