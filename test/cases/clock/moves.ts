import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import { bootstrapEvents, type SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import { HOUR_MS } from '../../support/stepped-clock.ts';
import { forgiven } from './forgiven.ts';
import { expectOnce, expectWhole, jumps } from './ledger.ts';
import { type RealMachine, TICK, WAIT } from './real-machine.ts';
import type { Standalone } from './standalone.ts';

/** Where the clocks are set to, from where they are. */
interface Move {
  what: string;
  controller: number;
  node: number;
  /** What is started anew right after it. */
  restart?: { controller?: NodeJS.Signals; reporter?: true };
}

const MOVES: readonly Move[] = [
  { what: 'the controller an hour forward', controller: HOUR_MS, node: 0 },
  { what: 'the controller back to the truth', controller: 0, node: 0 },
  {
    what: 'the controller to an hour before its authority was made, and restarted',
    ...{ controller: -HOUR_MS, node: 0, restart: { controller: 'SIGTERM' } },
  },
  { what: 'the node an hour forward', controller: 0, node: HOUR_MS },
  {
    what: 'the node two hours back, and its reporter restarted',
    ...{ controller: 0, node: -HOUR_MS, restart: { reporter: true } },
  },
  { what: 'the controller an hour forward, the node an hour back', controller: HOUR_MS, node: -HOUR_MS },
  {
    what: 'the one two hours back, the other one two hours forward, and both killed',
    ...{ controller: -HOUR_MS, node: HOUR_MS, restart: { controller: 'SIGKILL', reporter: true } },
  },
  { what: 'both to the truth', controller: 0, node: 0 },
];
/** Enough of them to last over all moves, on a busy machine too. */
const TICKS = 150;
/** How wrong a bootstrap's elapsed time may be: a machine may be busy, and a clock that was set is an hour away. */
const ELAPSED_MS = 600_000;

/** Sets the clocks of a controller without a cluster and of its machines, while they tell all the time. */
export async function moves(scene: Standalone, say: (line: string) => void): Promise<void> {
  const steady = await scene.real('steady', [...Array.from({ length: TICKS }, () => TICK), WAIT]);
  const began = performance.now();
  const talker = new Talker(await scene.simulated('talker'));
  try {
    let next = scene.real('move-1', [WAIT, 'true']);
    for (const [at, move] of MOVES.entries()) {
      const machine = await next;
      await scene.phaseIs(machine.name, 'Running');
      if (at + 1 < MOVES.length) next = scene.real(`move-${at + 2}`, [WAIT, 'true']);
      scene.clocks.controller.step(move.controller);
      scene.clocks.node.step(move.node);
      await restart(scene, move, talker, [steady, machine]);
      machine.open();
      const tookMs = await scene.phaseIs(machine.name, 'Succeeded');
      await newcomer(scene, `newcomer-${at + 1}`);
      await talker.isHeard();
      await expectElapsed(scene, performance.now() - began);
      say(`${move.what}: the verdict is there after ${Math.round(tookMs)} ms`);
    }
    steady.open();
    // Many steps are left; each of them is told.
    await steady.ends();
    await scene.phaseIs('steady', 'Succeeded');
  } finally {
    await talker.end();
  }
  await expectEverything(scene, talker.told);
  say('every event of every machine is stored once and in order, nothing is lost, no agent was doubted');
}

async function expectEverything(scene: Standalone, talked: number): Promise<void> {
  const numbers = MOVES.map((_, index) => index + 1);
  const real = numbers.map((number) => `move-${number}`);
  const newcomers = numbers.map((number) => `newcomer-${number}`);
  for (const name of ['steady', 'talker', ...real, ...newcomers]) {
    const record = await scene.find(name);
    assert.ok(record, name);
    expectOnce(record, await scene.events(name));
  }
  expectWhole('steady', await scene.events('steady'), TICKS + 1);
  for (const name of real) expectWhole(name, await scene.events(name), 2);
  assert.equal((await scene.events('talker')).length, talked);
  for (const name of newcomers) assert.equal((await scene.events(name)).length, 30);
  // An hour forward, two back, two forward, one back: the clock of the agent really was set.
  assert.deepEqual(jumps(await scene.events('steady')), { forward: 2, back: 2 });
  const said = scene.controllers.flatMap(({ lines }) => lines);
  // A reporter that is restarted may hang up in the middle of a handshake, and a busy host may take too long for one.
  assert.deepEqual(
    said.filter(
      (line) => /"level":"(warn|error)"/.test(line) && !/"code":"tls"|TLS handshake timeout/.test(line),
    ),
    [],
    'the controller refused nobody and stumbled over nothing',
  );
}

async function restart(
  scene: Standalone,
  { restart: what = {} }: Move,
  talker: Talker,
  machines: readonly RealMachine[],
): Promise<void> {
  const { controller, reporter } = what;
  if (controller) await talker.unheard(() => scene.restart(controller));
  if (reporter) for (const machine of machines) await machine.restartReporter();
}

/** A machine that enrols after the clocks were set, and tells a whole bootstrap. */
async function newcomer(scene: Standalone, name: string): Promise<void> {
  const machine = await scene.simulated(name);
  for (const body of bootstrapEvents(30)) machine.tell(body);
  await tellAll(machine);
  machine.hangUp();
}

/** Tells again what a connection that broke may have taken along, as the reporter does. */
async function tellAll(machine: SimulatedMachine): Promise<void> {
  await eventually('what is kept was told', async () => {
    await machine.report().catch(forgiven);
    return machine.spool.length === 0 || undefined;
  });
}

/** What `node` says of the bootstrap that runs all the time, by the clock of the controller's machine. */
async function expectElapsed(scene: Standalone, realMs: number): Promise<void> {
  const { controller } = scene.clocks;
  await eventually('an event stored after the clock was set', async () => {
    const { storedAt = 0 } = (await scene.find('steady')) ?? {};
    return Math.abs(controller.now() - storedAt) < HOUR_MS / 2 || undefined;
  });
  const words = ['node', 'steady', `--data=${scene.data}`, '--output=json'];
  const { stdout, stderr } = await controllerCommand(words, controller.command);
  assert.ok(stdout.startsWith('{'), stderr);
  const { elapsedMs, message } = JSON.parse(stdout) as { elapsedMs: number; message: string };
  assert.ok(Math.abs(elapsedMs - realMs) < ELAPSED_MS, `${elapsedMs} ms have passed, not ${realMs}`);
  const said = /^The bootstrap has been running for (?:(\d+)m )?(\d+(?:\.\d)?)s[:.]/.exec(message);
  const saidMs = 60_000 * Number(said?.[1] ?? 0) + 1000 * Number(said?.[2]);
  // Words add how long ago it was stored, by the clock of who reads.
  assert.ok(Math.abs(saidMs - realMs) < ELAPSED_MS, message);
}

/** A machine that tells something ten times a second, by connections of its own, whatever is done to clocks. */
class Talker {
  readonly #machine: SimulatedMachine;
  readonly #talking: Promise<void>;
  #ended = false;
  #mayFail = false;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    this.#talking = this.#talk();
    this.#talking.catch(() => undefined);
  }

  get told(): number {
    return this.#machine.seq;
  }

  /** While this is done, nobody need listen. */
  async unheard(work: () => Promise<void>): Promise<void> {
    this.#mayFail = true;
    try {
      await work();
    } finally {
      this.#mayFail = false;
    }
  }

  /** Everything told up to now is stored, also over a connection that is made now. @throws Error where it was refused */
  async isHeard(): Promise<void> {
    const { seq } = this.#machine;
    await eventually('what the talker told', async () => {
      if (this.#ended) await this.#talking;
      return (this.#machine.spool[0]?.seq ?? Number.POSITIVE_INFINITY) > seq || undefined;
    });
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#talking;
    this.#machine.hangUp();
  }

  async #talk(): Promise<void> {
    try {
      while (!this.#ended) {
        this.#machine.tell({ type: 'heartbeat', sequence: 'a1b2c3' });
        await this.#report();
        // Each time another handshake, so that certificates are looked at by the clock as it stands.
        this.#machine.hangUp();
        await sleep(100);
      }
      await tellAll(this.#machine);
    } finally {
      this.#ended = true;
    }
  }

  async #report(): Promise<void> {
    const mayFail = this.#mayFail;
    try {
      await this.#machine.report();
    } catch (error) {
      if (!mayFail && !this.#mayFail) forgiven(error);
    }
  }
}
