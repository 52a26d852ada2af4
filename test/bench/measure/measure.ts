import { join } from 'node:path';
import { execaSync } from 'execa';

const LAUNCHER = join(import.meta.dirname, 'measure.pl');

/** What the kernel accounted to one command and to everything it started and waited for. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time together. */
  readonly cpuMs: number;
  /** Largest resident set of any one of its processes. */
  readonly peakMib: number;
}

interface MeasureOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** A command that ends by executing its arguments, such as `unshare ...`: it prepares, and is not measured. */
  readonly within?: readonly string[];
}

/** A sentence for a person: why a figure cannot be had. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/**
 * Runs a command once, its output thrown away.
 *
 * @throws BenchError where it cannot be measured or does not end with exit status 0, quoting its standard error: the
 *   time that a failure takes is no figure.
 */
export function measure(argv: readonly string[], options: MeasureOptions = {}): Usage {
  const [program, ...args] = [...(options.within ?? []), 'perl', LAUNCHER, ...argv];
  const done = execaSync(program ?? 'perl', args, {
    reject: false,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...(options.env ? { env: options.env, extendEnv: false } : {}),
  });
  if (done.exitCode === undefined && done.signal === undefined)
    throw new BenchError(`cannot run ${program}: ${done.originalMessage}`);
  const line = done.stdio[3];
  if (line === '') {
    throw new BenchError(
      `${argv.join(' ')} was not measured: ${done.stderr.trim() || `exit status ${done.exitCode}`}`,
    );
  }
  const raw = JSON.parse(line) as Record<'wall' | 'user' | 'system' | 'rss' | 'status' | 'signal', number>;
  if (raw.status !== 0 || raw.signal !== 0) {
    const how = raw.signal === 0 ? `exit status ${raw.status}` : `signal ${raw.signal}`;
    throw new BenchError(`${argv.join(' ')} ended with ${how}: ${done.stderr.trim().slice(-600)}`);
  }
  return { wallMs: raw.wall / 1e6, cpuMs: (raw.user + raw.system) / 1e3, peakMib: raw.rss / 1024 };
}
