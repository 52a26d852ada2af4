import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeBinary, root } from '../../../build/project.ts';
import { withoutNodeVariables } from '../../../src/kit/environment.ts';
import { type Finished, type Running, run, start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';

/** What is built, where SLIPWAY_CONTROLLER_PROGRAM names it, as cases have it; else the sources. */
const built = process.env.SLIPWAY_CONTROLLER_PROGRAM;
const PROGRAM = built === undefined ? [nodeBinary(), join(root, 'src/slipway-controller.ts')] : [built];
/** With variables for Node.js what is built would begin anew without them. */
const ENVIRONMENT = built === undefined ? {} : { env: withoutNodeVariables(process.env) ?? process.env };

/** A controller as a process of its own: what is killed dies as a pod does. */
export class ControllerProcess {
  readonly lines: string[] = [];
  port = 0;
  adminPort = 0;
  probePort = 0;
  readonly #child: Running;

  private constructor(child: Running) {
    this.#child = child;
  }

  /**
   * @param before stands before the command, as a `SteppedClock` has it
   * @returns when it serves
   * @throws Error with its log when it ends before
   */
  static async start(words: readonly string[], before: readonly string[] = []): Promise<ControllerProcess> {
    const fixed = [
      'serve',
      '--listen=127.0.0.1:0',
      '--admin-listen=127.0.0.1:0',
      '--probe-listen=127.0.0.1:0',
      '--strangers-per-second=1000',
    ];
    const [program, ...rest] = [...DIES_WITH_US, ...before, ...PROGRAM];
    const child = start(program, [...rest, ...fixed, ...words], {
      ...ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
      buffer: false,
    });
    const controller = new ControllerProcess(child);
    const serves = new Promise<void>((resolve, reject) => {
      if (!child.stderr) throw new Error('the controller has no standard error');
      createInterface(child.stderr).on('line', (line) => {
        controller.lines.push(line);
        const { message, port, adminPort, probePort } = readLine(line);
        if (message !== 'serves') return;
        controller.port = port ?? 0;
        controller.adminPort = adminPort ?? 0;
        controller.probePort = probePort ?? 0;
        resolve();
      });
      void child.then(() => reject(new Error(`the controller ended:\n${controller.lines.join('\n')}`)));
    });
    await serves;
    return controller;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get leads(): boolean {
    const last = this.lines
      .map((line) => readLine(line).message ?? '')
      .filter((text) => /^(no longer )?leads/.test(text));
    return last.at(-1)?.startsWith('leads') ?? false;
  }

  get log(): string {
    return this.lines.join('\n');
  }

  /** Ends it and waits. @returns its exit status */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return (await this.#child).exitCode ?? null;
  }
}

/** A command of the controller, with pipes for what it prints; `within` adds what enters another network. */
export function startController(
  words: readonly string[],
  within: (command: readonly string[]) => readonly string[] = (command) => command,
): Running {
  const [program = '', ...rest] = within([...DIES_WITH_US, ...PROGRAM, ...words]);
  return start(program, rest, { ...ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'], buffer: false });
}

/** A command of the controller that ends by itself; `before` as above. */
export function controllerCommand(
  words: readonly string[],
  before: readonly string[] = [],
): Promise<Finished> {
  const [program, ...rest] = [...DIES_WITH_US, ...before, ...PROGRAM];
  return run(program, [...rest, ...words], ENVIRONMENT);
}

function readLine(line: string): { message?: string; port?: number; adminPort?: number; probePort?: number } {
  try {
    return JSON.parse(line) as { message?: string };
  } catch {
    // Node.js's own words when it dies; the log has them.
    return {};
  }
}
