import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableHandle, DurableResult, DurableSpec } from '../../processes.ts';
import { followFile } from '../files/follow-file.ts';
import { elapsedMs } from '../system/clock.ts';

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
