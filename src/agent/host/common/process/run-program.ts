import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type {
  CommandResult,
  CommandSpec,
  DurableHandle,
  DurableResult,
  DurableSpec,
} from '../../processes.ts';
import { LineSplitter, TailBuffer } from '../../program-output.ts';
import { followFile } from '../files/follow-file.ts';
import { elapsedMs } from '../system/clock.ts';
import { childProcess, os } from '../system/lazy-modules.ts';

const KEEP_BYTES = 256 * 1024;

/** How a system starts a program, and ends it with all that it has started. */
interface Start {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly isLeader: boolean;
  /** Descriptors that the program must not inherit, besides those that Node.js keeps to itself. */
  readonly withheld?: readonly number[];
  end(pid: number): void;
}

/** Runs a program to its end, started and ended as `start` says; see `Processes.run`. */
export function runProgram(start: Start, spec: CommandSpec): Promise<CommandResult> {
  const started = elapsedMs();
  const [file, ...args] = start.argv;
  const stdout = new TailBuffer(spec.keepBytes ?? KEEP_BYTES);
  const stderr = new TailBuffer(spec.keepBytes ?? KEEP_BYTES);
  return new Promise((resolve) => {
    const child = childProcess().spawn(file, args, {
      env: start.env,
      detached: start.isLeader,
      windowsHide: true,
      stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...deadEnds(start.withheld)],
    });
    for (const end of child.stdio.slice(3)) (end as Writable | null)?.destroy();
    let timedOut = false;
    let settled = false;
    const stop = () => {
      if (child.pid !== undefined) start.end(child.pid);
    };
    const timer = spec.timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          stop();
        }, spec.timeoutMs)
      : undefined;
    spec.signal?.addEventListener('abort', stop);
    if (spec.signal?.aborted) stop();

    const splitters = (
      [
        ['stdout', child.stdout, stdout],
        ['stderr', child.stderr, stderr],
      ] as const
    ).map(([name, stream, tail]) => {
      const splitter = new LineSplitter((line) => spec.onLine?.(line, name));
      stream?.on('data', (chunk: Buffer) => {
        tail.push(chunk);
        splitter.push(chunk);
      });
      return splitter;
    });
    // EPIPE from a program that does not read its input must not end the agent.
    child.stdin?.on('error', () => undefined);
    if (spec.input !== undefined) child.stdin?.end(spec.input);

    const finish = (exitStatus: number) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      spec.signal?.removeEventListener('abort', stop);
      for (const splitter of splitters) splitter.end();
      resolve({
        exitStatus,
        stdout: stdout.toString(),
        stderr: stderr.toString(),
        timedOut,
        ms: Math.round(elapsedMs() - started),
      });
    };
    child.on('error', (error) => {
      stderr.push(Buffer.from(`${spec.argv[0]}: ${describeSpawnError(error)}\n`));
      finish(127);
    });
    child.on('close', (code, signal) => finish(code ?? 128 + signalNumber(signal)));
    // A grandchild that keeps the pipes open must not hold up the agent after the program's end.
    child.on('exit', (code, signal) => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        finish(code ?? 128 + signalNumber(signal));
      }, 500).unref();
    });
  });
}

/** What stands in place of the descriptors from 3 on: a pipe whose other end is closed at once. */
function deadEnds(withheld: readonly number[] = []): ('ignore' | 'pipe')[] {
  const length = Math.max(2, ...withheld) - 2;
  return Array.from({ length }, (_, at) => (withheld.includes(at + 3) ? 'pipe' : 'ignore'));
}

function describeSpawnError(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'not found';
  if (code === 'EACCES') return 'not executable';
  return code || error.message;
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : os().constants.signals[signal];
}

/** A run that is under way or over: its folder, who began it, and what resolves at the program's end. */
interface DurableRun {
  readonly dir: string;
  readonly adopted: boolean;
  readonly ended: Promise<void>;
  /** By `elapsedMs`. */
  readonly started: number;
}

/** Tells of a durable program what it prints into its folder, and how it ends. */
export function followRun({ dir, adopted, ended, started }: DurableRun, spec: DurableSpec): DurableHandle {
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    followFile(join(dir, name), (line) => spec.onLine?.(line, name)),
  );
  const finish = async (): Promise<DurableResult> => {
    await ended;
    const [stdout = '', stderr = ''] = await Promise.all(streams.map((stream) => stream.finish()));
    return { exitStatus: statusIn(dir), stdout, stderr, ms: Math.round(elapsedMs() - started) };
  };
  return {
    adopted,
    catchUp: () => {
      for (const stream of streams) stream.catchUp();
    },
    result: finish(),
  };
}

/** A durable program's exit status; undefined if its file is missing or torn. */
export function statusIn(dir: string): number | undefined {
  const text = textIn(dir, 'status') ?? '';
  return /^\d+\n$/.test(text) ? Number(text) : undefined;
}

/** One of a durable program's small files. */
export function textIn(dir: string, name: string): string | undefined {
  try {
    return readFileSync(join(dir, name), 'utf8');
  } catch {
    return undefined;
  }
}
