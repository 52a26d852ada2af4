import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import type { CommandEnd, SessionOptions, ShellSession } from './shell-session.ts';

/** What steps ask of whatever runs a document's commands. */
export type CommandShell = Pick<
  ShellSession,
  'answer' | 'begin' | 'close' | 'directory' | 'isLast' | 'run' | 'waitBefore'
>;

const KEPT_LINES = 20;

/**
 * The commands of a document on Windows, each in a cmd.exe of its own: unlike cloudbase-init's one file of commands, a command's
 * variables and folder are not those of the next, and a batch file that is called without `call` takes nothing with it. A
 * killed agent ends the command; the next one runs it again, as cloudbase-init would.
 */
export class WindowsCommands implements CommandShell {
  readonly directory: string;
  readonly #host: Host;
  readonly #options: SessionOptions;

  constructor(host: Host, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    this.directory = `${RUN_DIR}/shell/${options.name}`;
  }

  isLast(index: number): boolean {
    return index === this.#options.items.length - 1;
  }

  async run(index: number, signal: AbortSignal): Promise<CommandEnd> {
    const { files, processes } = this.#host;
    const path = `${this.directory}/command.cmd`;
    const lines: string[] = [];
    const redactor = this.#options.redactor();
    const text = (this.#options.items[index]?.shell ?? '').replace(/\r?\n/g, '\r\n');
    await files.write(path, `@echo off\r\n${text}\r\n`, { mode: 0o600, volatile: true });
    const { exitStatus } = await processes.run({
      argv: [windowsProgram(this.#host, 'cmd.exe'), '/d', '/c', await files.real(path)],
      env: this.#options.env,
      signal,
      onLine: (raw, stream) => {
        const line = redactor.line(raw);
        if (line === undefined) return;
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        this.#options.output(line, stream);
      },
    });
    return signal.aborted ? { kind: 'shell-ended', exitStatus, lines } : { kind: 'ended', exitStatus, lines };
  }

  async begin(): Promise<void> {}
  async waitBefore(): Promise<void> {}
  async answer(): Promise<void> {}

  async close(): Promise<void> {
    await this.#host.files.remove(this.directory);
  }
}
