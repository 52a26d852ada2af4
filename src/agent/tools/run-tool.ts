import type { Code } from '../../protocol/codes/codes.ts';
import { redact } from '../../secrets/redact.ts';
import type { Host } from '../host/host.ts';
import type { CommandResult } from '../host/processes.ts';
import { StepError } from './step-error.ts';

const KEPT_LINES = 3;
const NOT_FOUND = 127;

interface ToolRun {
  /** The purpose, as in "cannot create the user alice". */
  doing: string;
  /** The code of its failure. */
  code: Code;
  /** Secrets go here, never into `argv`. */
  input?: string;
  /** Exit statuses that count as an answer; default only 0. */
  accept?: readonly number[];
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Runs a program that must succeed, with messages in English.
 * @throws Problem `ToolMissing` if the program is missing, `code` if it fails or takes too long
 */
export async function runTool(
  host: Host,
  argv: [string, ...string[]],
  { doing, code, input, accept = [0], timeoutMs = 120_000, signal }: ToolRun,
): Promise<CommandResult> {
  const result = await host.processes.run({
    argv,
    env: { LC_ALL: 'C' },
    timeoutMs,
    ...(input === undefined ? {} : { input }),
    ...(signal ? { signal } : {}),
  });
  if (accept.includes(result.exitStatus)) return result;
  if (result.exitStatus === NOT_FOUND) {
    throw new StepError('ToolMissing', `Cannot ${doing}: the program ${argv[0]} is not on this machine`);
  }
  const said = lastLines(result);
  const how = result.timedOut ? `took longer than ${timeoutMs / 1000} s` : reasonIn(said);
  throw new StepError(
    code,
    `Cannot ${doing}: ${how ?? `${argv[0]} ended with exit status ${result.exitStatus}`}`,
    {
      exitStatus: result.exitStatus,
      lines: said,
    },
  );
}

/** The last line; where it is a mark below what is wrong, as compilers and netplan draw it, that which stands before both. */
function reasonIn(said: readonly string[]): string | undefined {
  return said.at(-1) === '^' ? (said.at(-3) ?? said.at(-2)) : said.at(-1);
}

/** The program's last lines of output, without secrets. */
export function lastLines({ stderr, stdout }: Pick<CommandResult, 'stderr' | 'stdout'>): string[] {
  const text = stderr.trim() === '' ? stdout : stderr;
  return redact(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-KEPT_LINES);
}
