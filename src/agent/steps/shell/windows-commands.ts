import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { embeddedScript, windowsForm } from '../../text/scripts.ts';
import type { CommandEnd, SessionOptions, ShellSession } from './shell-session.ts';

/** What steps ask of whatever runs a document's commands. */
export type CommandShell = Pick<
  ShellSession,
  'answer' | 'begin' | 'close' | 'directory' | 'isLast' | 'run' | 'waitBefore'
>;

const KEPT_LINES = 20;
const NOT_FOUND = 127;

/**
 * The commands of a document on Windows, each in a cmd.exe of its own: unlike cloudbase-init's one file of commands, a command's
 * variables and folder are not those of the next, and a batch file that is called without `call` takes nothing with it. A
 * killed agent ends the command; the next one runs it again, as cloudbase-init would. Scripts in PowerShell, Python and Bash are
 * run by these.
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
    const { interpreter, extension, text } = asScript(this.#options.items[index]?.shell ?? '');
    const path = `${this.directory}/command.${extension}`;
    const lines: string[] = [];
    const redactor = this.#options.redactor();
    const words = await interpreter(this.#host);
    if (typeof words === 'string') {
      const line = `there is no ${words} in PATH`;
      this.#options.output(line, 'stderr');
      return { kind: 'ended', exitStatus: NOT_FOUND, lines: [line] };
    }
    await files.write(path, text, { mode: 0o600, volatile: true });
    const { exitStatus } = await processes.run({
      argv: [...words, await files.real(path)],
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

type Argv = [string, ...string[]];

interface Script {
  /** The words before the path of its file; the name of a program that is missing. */
  interpreter(host: Host): Promise<Argv | string>;
  extension: string;
  text: string;
}

/** A command, or a whole script: what runs that goes by the name of its part, else by how it begins, as with cloudbase-init. */
function asScript(shell: string): Script {
  const whole = embeddedScript(shell);
  const text = whole?.text ?? shell;
  const named = /\.(cmd|bat|ps1|py|sh)$/i.exec(whole?.path ?? '')?.[1]?.toLowerCase();
  const form = windowsForm(text);
  if (named === 'ps1' || form === 'powershell' || form === 'powershell-x86') {
    const folder = form === 'powershell-x86' ? 'SysWOW64' : 'System32';
    // Windows PowerShell takes a file without this mark for one in the machine's own code page.
    return { interpreter: async (host) => powershell(host, folder), extension: 'ps1', text: `\ufeff${text}` };
  }
  if (named === 'py' || /^#!\s*\/usr\/bin\/env\s+python\d?\s/.test(text)) return other('python', 'py', text);
  if (named === 'sh' || (named === undefined && text.startsWith('#!'))) return other('bash', 'sh', text);
  return {
    interpreter: async (host) => [windowsProgram(host, 'cmd.exe'), '/d', '/c'],
    extension: 'cmd',
    text: `@echo off\r\n${text.replace(/\r?\n/g, '\r\n')}\r\n`,
  };
}

const powershell = (host: Host, folder: string): Argv => [
  windowsProgram(host, 'WindowsPowerShell\\v1.0\\powershell.exe', folder),
  ...['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'RemoteSigned', '-File'],
];

/** By what Windows does not bring along. */
const other = (program: string, extension: string, text: string): Script => ({
  async interpreter({ processes }) {
    const path = await processes.which(program);
    return path === undefined ? `${program}.exe` : [path];
  },
  ...{ extension, text },
});
