import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** What a finished child left behind. `code` is null when a signal ended it. */
export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
  /** Milliseconds until the child (and its process group) is killed; no limit when absent. */
  timeoutMs?: number;
  /** Called with each piece of output as it comes, for progress. */
  onOutput?: (text: string) => void;
}

/** A sentence for a person; the lab throws nothing else on purpose. */
export class LabError extends Error {
  override name = 'LabError';
}

/**
 * Run a program to its end and collect both streams.
 * @throws LabError when the program cannot be started or does not end within `timeoutMs`.
 */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const spawnOptions: SpawnOptions = {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: options.timeoutMs !== undefined,
  };
  if (options.cwd !== undefined) spawnOptions.cwd = options.cwd;
  if (options.env !== undefined) spawnOptions.env = options.env;
  const child = spawn(program, args, spawnOptions);
  return collect(child, `${program} ${args.join(' ')}`, options);
}

/** Like `run`, and a non-zero end is an error that quotes the last lines of stderr. */
export async function runOk(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const done = await run(program, args, options);
  if (done.code !== 0) {
    const how = done.signal === null ? `exit status ${done.code}` : `signal ${done.signal}`;
    const said = lastLines(done.stderr.trim() === '' ? done.stdout : done.stderr, 12);
    throw new LabError(
      `\`${shorten(`${program} ${args.join(' ')}`)}\` ended with ${how}${said === '' ? '' : `:\n${said}`}`,
    );
  }
  return done.stdout;
}

/** Wait for a child that was spawned with pipes; shared by `run` and `Machine.exec`. */
export function collect(child: ChildProcess, what: string, options: RunOptions): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let late = false;
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            killGroup(child);
          }, options.timeoutMs);
    child.stdout?.on('data', (piece: Buffer) => {
      out.push(piece);
      options.onOutput?.(piece.toString());
    });
    child.stderr?.on('data', (piece: Buffer) => {
      err.push(piece);
      options.onOutput?.(piece.toString());
    });
    // A child may end without reading its input; that is its right, and its exit status tells the story.
    child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    child.stdin?.end(options.input);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new LabError(`cannot start \`${shorten(what)}\`: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const stdout = Buffer.concat(out).toString();
      const stderr = Buffer.concat(err).toString();
      if (late) {
        const said = lastLines(`${stdout}\n${stderr}`, 12);
        reject(
          new LabError(
            `\`${shorten(what)}\` did not end within ${options.timeoutMs} ms${said === '' ? '' : `; it last said:\n${said}`}`,
          ),
        );
      } else resolve({ code, signal, stdout, stderr });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Not a group leader, or the group is gone already: the child alone is what is left to kill.
    child.kill('SIGKILL');
  }
}

/** The last `count` non-empty lines of a text. */
export function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}

function shorten(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}...`;
}
