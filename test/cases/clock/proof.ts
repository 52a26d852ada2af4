import { strict as assert } from 'node:assert';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { binaryPath, controllerBinaryPath, nodeBinary } from '../../../build/project.ts';
import { SENTINEL } from '../../../src/agent/document/paths.ts';
import { SPOOL } from '../../../src/agent/report/spool/spool-file.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';
import { eventually } from '../../support/eventually.ts';
import { HOUR_MS, type SteppedClock } from '../../support/stepped-clock.ts';

const BOTH_CLOCKS = 'setInterval(() => console.log(Date.now(), Math.round(performance.now())), 50)';

/** Nothing else here would mean anything if the clocks did not really step: Node.js' own, and those of both binaries. */
export async function proveClock(clock: SteppedClock, say: (line: string) => void): Promise<void> {
  await inNode(clock);
  await inController(clock);
  await inReporter(clock);
  clock.step(0);
  say(
    'a clock that is set while they run is seen by Node.js and by both binaries, monotonic time is not touched',
  );
}

async function inNode(clock: SteppedClock): Promise<void> {
  const program = new Program(clock, [nodeBinary(), '-e', BOTH_CLOCKS]);
  try {
    const read = async () => (await program.next(/^\d+ \d+$/)).split(' ').map(Number) as [number, number];
    for (const offset of [0, HOUR_MS, -HOUR_MS]) {
      clock.step(offset);
      const [, before] = await read();
      const [wall, mono] = await read();
      assertNear(wall, Date.now() + offset, 'the wall clock');
      assert.ok(mono > before && mono - before < HOUR_MS / 2, 'monotonic time goes on');
    }
  } finally {
    await program.end();
  }
}

async function inController(clock: SteppedClock): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-clock-proof-'));
  clock.step(-HOUR_MS);
  const program = new Program(clock, [
    ...[controllerBinaryPath, 'serve', '--standalone', `--data=${folder}`],
    ...['--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0', '--probe-listen=127.0.0.1:0'],
  ]);
  try {
    const timeOf = (line: string) => Date.parse((JSON.parse(line) as { time: string }).time);
    assertNear(timeOf(await program.next(/"serves"/)), Date.now() - HOUR_MS, "the controller's clock");
    clock.step(HOUR_MS);
    program.child.kill('SIGTERM');
    assertNear(timeOf(await program.next(/"drains"/)), Date.now() + HOUR_MS, "the controller's clock, set");
  } finally {
    await program.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of a machine on which nothing happens it keeps facts when it begins, and Cluster API's sentinel when it comes. */
async function inReporter(clock: SteppedClock): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-clock-proof-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  clock.step(HOUR_MS);
  put('/etc/slipway/config.yaml', JSON.stringify({ report: { journal: 'off', console: 'off' } }));
  const program = new Program(clock, [binaryPath, 'report', '--root', folder]);
  try {
    assertNear(await keptAt(folder, 'fact'), Date.now() + HOUR_MS, "the reporter's clock");
    clock.step(-HOUR_MS);
    put(SENTINEL, 'success\n');
    assertNear(await keptAt(folder, 'sentinel.seen'), Date.now() - HOUR_MS, "the reporter's clock, set");
  } finally {
    await program.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The wall time of the first event of this type in the reporter's spool. */
function keptAt(folder: string, type: string): Promise<number> {
  const spool = join(folder, SPOOL);
  return eventually(`a ${type} in the spool`, () => {
    const line = existsSync(spool)
      ? readFileSync(spool, 'utf8')
          .split('\n')
          .find((text) => text.includes(`"type":"${type}"`))
      : undefined;
    const time = /"time":"([^"]+)"/.exec(line ?? '')?.[1];
    return time === undefined ? undefined : Date.parse(time);
  });
}

/** Clocks are set by an hour: what is nearer than half of that was told by this one, however busy the machine is. */
function assertNear(time: number, wanted: number, what: string): void {
  assert.ok(Math.abs(time - wanted) < HOUR_MS / 2, `${what} shows ${new Date(time).toISOString()}`);
}

/** A process under the clock, with what it prints, line by line. */
class Program {
  readonly child: Running;
  readonly #lines: string[] = [];
  #read = 0;

  constructor(clock: SteppedClock, words: readonly string[]) {
    const [program, ...rest] = [...DIES_WITH_US, ...clock.command, ...words];
    this.child = start(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], buffer: false });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => this.#lines.push(line));
    }
  }

  /** The next line of this form. */
  next(form: RegExp): Promise<string> {
    return eventually(`a line like ${form}`, () => {
      const at = this.#lines.findIndex((line, index) => index >= this.#read && form.test(line));
      if (at < 0) return undefined;
      this.#read = at + 1;
      return this.#lines[at];
    });
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.child;
  }
}
