import { strict as assert } from 'node:assert';
import { randomUUID, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeBinary, root } from '../../../build/project.ts';
import { IDENTITY_DIR, JOURNAL } from '../../../src/agent/document/paths.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';
import { eventually } from '../../support/eventually.ts';
import type { SteppedClock } from '../../support/stepped-clock.ts';
import { makeTinyRoot, removeRoot } from '../../support/tiny-root.ts';

const PROGRAM = join(root, 'src/slipway.ts');
/** What the agent runs in its root does not go by the clock, and finds no library there. */
const FOR_ITSELF = '--import=data:text/javascript,delete process.env.LD_PRELOAD';
/** Commands wait for this file. */
const GATE = '/go';

export const WAIT = `while [ ! -e ${GATE} ]; do sleep 0.05; done`;
/** Takes most of a second until the gate is opened, and no time from then on. */
export const TICK = `[ -e ${GATE} ] || sleep 0.8`;

interface RealMachineOptions {
  name: string;
  /** Absent for the real one. */
  clock?: SteppedClock;
  /** Of the controller. */
  port: number;
  ca: string;
  token: string;
  /** Of its user data. */
  commands: readonly string[];
}

/** A real agent and a real reporter, two processes under one clock, on a root directory of their own. */
export class RealMachine {
  readonly name: string;
  /** What agent and reporter said. */
  log = '';
  readonly #clock: readonly string[];
  readonly #root = makeTinyRoot();
  readonly #agent: Running;
  #reporter: Running | undefined;

  private constructor({ name, clock, port, ca, token, commands }: RealMachineOptions) {
    this.name = name;
    this.#clock = clock?.command ?? [];
    this.#put('/etc/machine-id', `${name}\n`);
    const report = {
      nodeTimeout: '0s',
      journal: 'off',
      console: 'off',
      controller: { endpoints: [`https://127.0.0.1:${port}`], token, ca },
    };
    this.#put('/etc/slipway/config.d/50-clock.yaml', JSON.stringify({ report }));
    this.#put(
      '/user-data',
      `#cloud-config\n${JSON.stringify({ runcmd: commands, slipway: { kubeadm: 'none' } })}\n`,
    );
    const userData = join(this.#root.path, 'user-data');
    this.#agent = this.#spawn(['bootstrap', '--root', this.#root.path, '--user-data', userData]);
  }

  /** @returns when its agent has begun and its reporter runs */
  static async start(options: RealMachineOptions): Promise<RealMachine> {
    const machine = new RealMachine(options);
    try {
      const begun = () => machine.journal.length > 0 || undefined;
      await eventually(`the journal of ${options.name}`, begun);
      machine.startReporter();
      return machine;
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  /** Types of the records in its journal. */
  get journal(): string[] {
    const path = join(this.#root.path, JOURNAL);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { type: string }).type);
  }

  /** Lets the commands end. */
  open(): void {
    this.#put(GATE, '');
  }

  startReporter(): void {
    this.#reporter = this.#spawn(['report', '--root', this.#root.path]);
  }

  /** As systemd does it. */
  async restartReporter(): Promise<void> {
    await end(this.#reporter, 'SIGTERM');
    this.startReporter();
  }

  async killAgent(): Promise<void> {
    await end(this.#agent, 'SIGKILL');
  }

  /** Waits until agent and reporter have ended by themselves, both content. */
  async ends(): Promise<void> {
    for (const child of [this.#agent, this.#reporter]) {
      let code: number | undefined;
      void child?.then(({ exitCode }) => {
        code = exitCode;
      });
      assert.equal(await eventually(`the end of ${this.name}`, () => code), 0, `${this.name}: ${this.log}`);
    }
  }

  /** Its next command runs after a reboot: what counts within one boot counts no longer. */
  reboot(): void {
    const path = `${IDENTITY_DIR}/about.json`;
    const about = JSON.parse(readFileSync(join(this.#root.path, path), 'utf8')) as {
      given: { boot: string };
    };
    about.given.boot = randomUUID();
    this.#put(path, `${JSON.stringify(about)}\n`);
  }

  /** When its certificate ends. */
  get certificateEnd(): number {
    const path = join(this.#root.path, IDENTITY_DIR, 'client.crt');
    return new X509Certificate(readFileSync(path)).validToDate.getTime();
  }

  /** As the timer runs it. @returns its exit status */
  async checkIn(): Promise<number | undefined> {
    return (await this.#spawn(['check-in', '--root', this.#root.path])).exitCode;
  }

  async stop(): Promise<void> {
    await end(this.#reporter, 'SIGKILL');
    await end(this.#agent, 'SIGKILL');
    removeRoot(this.#root.path);
  }

  #put(path: string, text: string): void {
    const full = join(this.#root.path, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode: 0o600 });
  }

  #spawn(words: readonly string[]): Running {
    const [program, ...rest] = [...DIES_WITH_US, ...this.#clock, nodeBinary(), FOR_ITSELF, PROGRAM];
    const child = start(program, [...rest, ...words], { stdio: ['ignore', 'pipe', 'pipe'], buffer: false });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => (this.log += text.toString()));
    }
    return child;
  }
}

async function end(child: Running | undefined, signal: NodeJS.Signals): Promise<void> {
  child?.kill(signal);
  await child;
}
