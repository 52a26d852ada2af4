import { resolve } from 'node:path';
import { parseSeconds } from '../../../kit/duration.ts';
import { UsageError } from '../../../kit/errors.ts';
import { visibleOutput } from '../../../kit/terminal/visible.ts';
import type { Host } from '../../host/host.ts';

/** @throws UsageError */
export function durationOption(name: string, text: string): number {
  const seconds = parseSeconds(text);
  if (seconds === undefined || seconds < 1) {
    throw new UsageError(`--${name} ${text}: not a duration such as 90s, 15m or 1h30m`);
  }
  return seconds;
}

/** @throws UsageError */
export function formatOption(text: string): 'text' | 'json' {
  if (text !== 'text' && text !== 'json') throw new UsageError(`--output ${text}: give text or json`);
  return text;
}

/**
 * The path of a directory or file that an option names; it does not depend on the working directory. An empty name is a
 * shell's variable that is not set: taken for the working directory, it would do its work in the wrong place.
 *
 * @throws UsageError
 */
export function pathOption(name: string, text: string): string {
  if (text === '') throw new UsageError(`--${name}: its name is empty; is a variable not set?`);
  return resolve(text);
}

/** The directory that stands for the machine's `/`; that itself has no drive, on Windows neither. @throws UsageError */
export function rootOption(text: string): string {
  return text === '/' ? text : pathOption('root', text);
}

/**
 * A directory that is not there is a slip of the pen: what is done below it would be done nowhere.
 *
 * @throws UsageError
 */
export async function requireRootDirectory(host: Host): Promise<void> {
  const { root, ownFiles } = host;
  const kind = await ownFiles
    .real(root)
    .then((path) => ownFiles.stat(path))
    .then((found) => found?.kind ?? 'missing')
    .catch(() => 'missing' as const);
  if (kind === 'directory') return;
  throw new UsageError(
    `--root ${root}: ${kind === 'missing' ? 'there is no such directory' : 'is no directory'}`,
  );
}

/**
 * Asked before anything is begun, so that nobody reads of a file or directory instead that only root may write.
 *
 * @throws UsageError
 */
export function requireRoot(what: string, command: string): void {
  if (!isRoot()) throw new UsageError(`only root can ${what} (sudo ${command})`);
}

/** Windows itself refuses what only administrators may do, by its own words. */
export function isRoot(): boolean {
  return process.platform === 'win32' || process.getuid?.() === 0;
}

/** Options of commands that look for user data, as paths. @throws UsageError */
export function sourceOptions(options: {
  userData?: string;
  metaData?: string;
  networkConfig?: string;
  source?: string;
  root: string;
}) {
  if (options.source !== undefined && options.userData !== undefined)
    throw new UsageError('--source and --user-data: give one of them');
  if (options.networkConfig !== undefined && options.userData === undefined)
    throw new UsageError('--network-config belongs to --user-data: give both');
  return {
    root: rootOption(options.root),
    ...(options.source === undefined ? {} : { source: options.source }),
    ...(options.userData === undefined ? {} : { userDataFile: userDataOption(options.userData) }),
    ...(options.metaData === undefined ? {} : { metaDataFile: pathOption('meta-data', options.metaData) }),
    ...(options.networkConfig === undefined
      ? {}
      : { networkFile: pathOption('network-config', options.networkConfig) }),
  };
}

/** `-` is standard input, as for the commands that authors call. */
function userDataOption(given: string): string {
  return given === '-' && process.platform !== 'win32' ? '/dev/stdin' : pathOption('user-data', given);
}

/** Runs a command; a usage error becomes a sentence and exit status 2. */
export async function withUsageErrors(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`slipway: ${visibleOutput(error.message)}\n`);
    return error.status;
  }
}
