import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hierarchies, makeGroup } from '../host/cgroups.ts';
import { JOIN_GROUPS } from '../machine/machine-enter.ts';
import { LabError, lastLines, startApart } from '../process/command.ts';
import { alive, type ProcessId, processId } from '../process/process-id.ts';
import { waitFor } from '../process/wait-for.ts';

/** A long-running process on the lab's switch, known by name across runs of the lab's command line. */
export class Daemon {
  readonly name: string;
  readonly #dir: string;
  readonly #group: string;
  readonly #prefix: readonly string[];

  /** `prefix` is the command that enters the switch's network. */
  constructor(name: string, dir: string, group: string, prefix: readonly string[]) {
    this.name = name;
    this.#dir = dir;
    this.#group = group;
    this.#prefix = prefix;
  }

  get log(): string {
    const file = join(this.#dir, 'log', `${this.name}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  get running(): boolean {
    const id = this.#id();
    return id !== undefined && alive(id);
  }

  /** @throws LabError when it runs already */
  async start(command: readonly string[]): Promise<void> {
    if (this.running) throw new LabError(`${this.name} runs already`);
    await makeGroup(this.#group);
    const groups = hierarchies().map((h) => join(h.mountpoint, this.#group));
    const log = openSync(join(this.#dir, 'log', `${this.name}.log`), 'a', 0o600);
    try {
      const child = startApart(
        'sh',
        ['-c', JOIN_GROUPS, this.name, ...groups, '--', ...this.#prefix, ...command],
        {
          stdio: ['ignore', log, log],
          cwd: this.#dir,
          env: { PATH: process.env.PATH, HOME: this.#dir },
        },
      );
      const failed = new Promise<never>((_, reject) =>
        child.once('error', (error) => reject(new LabError(`cannot start ${this.name}: ${error.message}`))),
      );
      await Promise.race([failed, new Promise<void>((resolve) => child.once('spawn', () => resolve()))]);
      child.unref();
      const id = child.pid === undefined ? undefined : processId(child.pid);
      if (id === undefined) throw new LabError(`${this.name} ended as soon as it was started`);
      await writeFile(this.#pidFile, JSON.stringify(id), { mode: 0o600 });
    } finally {
      closeSync(log);
    }
  }

  /** Kill it as a power cut would, or as `signal` says, and wait for its end. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const id = this.#id();
    if (id === undefined || !alive(id)) return;
    process.kill(id.pid, signal);
    await waitFor(async () => !alive(id), { timeoutMs: 600_000, what: `${this.name} to end`, everyMs: 20 });
    await rm(this.#pidFile, { force: true });
  }

  /** Poll until `question` says yes. @throws LabError with the log's last lines when it ends or takes too long */
  async ready(question: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    try {
      await waitFor(
        async () => {
          if (!this.running) throw new LabError(`${this.name} ended while it started`);
          return question();
        },
        { timeoutMs, what: `${this.name} to answer` },
      );
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      throw new LabError(`${error.message}; its log ends:\n${lastLines(this.log, 12)}`);
    }
  }

  get #pidFile(): string {
    return join(this.#dir, `${this.name}.json`);
  }

  #id(): ProcessId | undefined {
    return existsSync(this.#pidFile)
      ? (JSON.parse(readFileSync(this.#pidFile, 'utf8')) as ProcessId)
      : undefined;
  }
}
