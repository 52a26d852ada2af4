import { execa, type Result, type ResultPromise } from 'execa';

/** What a finished child left behind. `code` is null when a signal ended it. */
export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  /** All of its variables; default: those of this process. */
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
  /** Milliseconds until the child (and its process group) is killed; no limit when absent. */
  timeoutMs?: number;
  /** Called with each piece of output as it comes, for progress. */
  onOutput?: (text: string) => void;
  /** A process group of its own: Ctrl-C in the terminal does not reach it. It has one wherever it has a time limit. */
  ownGroup?: boolean;
}

/** A sentence for a person; the lab throws nothing else on purpose. */
export class LabError extends Error {
  override name = 'LabError';
}

/** More than any program here prints. */
const MOST_OUTPUT = 1 << 30;

/** What all programs of the lab have in common. They, and their groups, are killed when this process ends. */
const COMMON = {
  reject: false,
  stripFinalNewline: false,
  killSignal: 'SIGKILL',
  maxBuffer: MOST_OUTPUT,
} as const;

type Common = typeof COMMON;

type Stream = 'pipe' | 'ignore' | 'inherit' | number;

type Stdio = 'pipe' | 'ignore' | 'inherit' | readonly [Stream, Stream, Stream];

export type StartOptions = Omit<RunOptions, 'onOutput'> & {
  stdio?: Stdio;
  /** false: what it prints is not kept; whoever starts it reads its streams. */
  buffer?: boolean;
};

/** A program that runs: a promise of its end and, meanwhile, a child process. */
export type Running = ResultPromise<Common>;

/** Start a program that others wait for, or talk to. */
export function start(program: string, args: readonly string[], options: StartOptions = {}): Running {
  const { cwd, env, input, timeoutMs, ownGroup = timeoutMs !== undefined, stdio, buffer = true } = options;
  return execa(program, args, {
    ...COMMON,
    killDescendants: ownGroup,
    buffer,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env, extendEnv: false }),
    ...(input === undefined ? {} : { input }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...(stdio === undefined ? {} : { stdio }),
  } as Common);
}

/** Start a program that lives on when this process ends. What it prints is the caller's to read, and to let go. */
export function startApart(
  program: string,
  args: readonly string[],
  { stdio, cwd, env }: Required<Pick<StartOptions, 'stdio'>> & Pick<StartOptions, 'cwd' | 'env'>,
): Running['nodeChildProcess'] {
  const apart = { buffer: false, detached: true, cleanup: false, reject: false } as const;
  const where = cwd === undefined ? {} : { cwd };
  return execa(program, args, {
    ...apart,
    ...where,
    stdio: stdio as 'pipe',
    ...(env ? { env, extendEnv: false } : {}),
  }).nodeChildProcess;
}

/**
 * Run a program to its end and collect both streams.
 * @throws LabError when the program cannot be started or does not end within `timeoutMs`.
 */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return finish(start(program, args, { input: '', ...options }), `${program} ${args.join(' ')}`, options);
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

/** Wait for a program that was started; `what` names it in errors. */
export async function finish(
  running: Running,
  what: string,
  { timeoutMs, onOutput }: Pick<RunOptions, 'timeoutMs' | 'onOutput'> = {},
): Promise<Finished> {
  if (onOutput) {
    for (const stream of [running.stdout, running.stderr])
      stream?.on('data', (piece: Buffer) => onOutput(piece.toString()));
  }
  const done: Result<Common> = await running;
  const { exitCode, signal, stdout = '', stderr = '' } = done;
  if (done.timedOut) {
    const said = lastLines(`${stdout}\n${stderr}`, 12);
    throw new LabError(
      `\`${shorten(what)}\` did not end within ${timeoutMs} ms${said === '' ? '' : `; it last said:\n${said}`}`,
    );
  }
  if (exitCode === undefined && signal === undefined)
    throw new LabError(`cannot start \`${shorten(what)}\`: ${done.originalMessage ?? done.shortMessage}`);
  return { code: exitCode ?? null, signal: (signal as NodeJS.Signals | undefined) ?? null, stdout, stderr };
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
