import { chmodSync, closeSync, copyFileSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { withoutNodeVariables } from '../../src/kit/environment.ts';

/**
 * Options of Node.js and V8 for every start. The code cache must be made under the same ones. With a configuration of its
 * own (an empty one), OpenSSL reads none that OPENSSL_CONF names: that could load a library before the first line runs.
 */
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning', '--openssl-config=/dev/null'];

/**
 * And for every start of the agent: one thread of V8's beside the main one. Each of four takes pages and a heap of malloc's for
 * its part of the little garbage that a bootstrap leaves, which costs more than it helps.
 */
export const AGENT_ARGV = [...EXEC_ARGV, '--v8-pool-size=1'];

/** The same on Windows, which has another name for nothing. */
const FOREIGN_ARGV = ['--disable-warning=ExperimentalWarning', '--openssl-config=NUL'];

/**
 * Given to a Node.js that makes a code cache: V8 takes its hashes from it instead of from chance, so the same source
 * has the same cache each time. A Node.js without it accepts such a cache.
 */
export const SEED = '--random-seed=1';

/**
 * What Node.js is told for every start of the binary. Nothing but this: `none` shuts NODE_OPTIONS and --node-options
 * out, so a variable left in a unit or in /etc/environment can neither break the agent nor load code into it.
 * The commands the agent starts still inherit the variable.
 */
const seaConfig = {
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  useCodeCache: true,
  execArgvExtension: 'none',
};

interface PackOptions {
  /** Absolute path of the main script, one CommonJS file. The blob appears beside it. */
  readonly main: string;
  /** Absolute paths of files beside the main script that go into the binary, by the name under which it asks for them. */
  readonly assets?: Readonly<Record<string, string>>;
  /** Options of Node.js for every start; default `EXEC_ARGV`, on Windows the same in its words. */
  readonly execArgv?: readonly string[];
  /** Absolute path of the (stripped) Node.js binary. */
  readonly node: string;
  /**
   * The Node.js that writes the blob where `node` itself cannot run here; it has to be of the same version. Its V8 is another
   * system's, so there is no code cache then.
   */
  readonly writer?: string;
  /** Words that run it here; see `BaseNode`. */
  readonly runner?: readonly string[];
  /** Absolute path of the result. */
  readonly output: string;
}

/**
 * Makes one executable file of a script and a Node.js binary, as a plain single executable application. The same files
 * give the same bytes, in whatever folder.
 *
 * @throws Error with the failing part's own words.
 */
export function pack(options: PackOptions): void {
  const { main, node, output } = options;
  const blob = join(dirname(main), `${basename(output)}.blob`);
  writeBlob(options, blob);
  copyFileSync(node, output);
  chmodSync(output, 0o755);
  // In a process of its own, because it warns on standard error of each section whose name it cannot find.
  execaSync(process.execPath, [join(import.meta.dirname, 'inject.ts'), output, blob]);
  writeAnew(output);
}

const PIECE = 64 * 1024;

/**
 * In small pieces, as whoever installs it does. What one large write leaves in the page cache is mapped in larger pieces at
 * each start, which then seems to take 20 MiB more than on a machine that has read the file from its disk.
 */
function writeAnew(path: string): void {
  const anew = `${path}.anew`;
  const [from, to] = [openSync(path, 'r'), openSync(anew, 'w', 0o755)];
  const piece = Buffer.alloc(PIECE);
  for (let read = readSync(from, piece); read > 0; read = readSync(from, piece))
    writeFileSync(to, piece.subarray(0, read));
  closeSync(from);
  closeSync(to);
  renameSync(anew, path);
}

function writeBlob(
  { main, assets = {}, node, runner = [], writer, execArgv, output }: PackOptions,
  blob: string,
): void {
  // Node.js writes the script's path as it is given into the binary: relative ones show no folder of the builder.
  const folder = dirname(main);
  const config = `${basename(output)}.json`;
  writeFileSync(
    join(folder, config),
    JSON.stringify({
      ...seaConfig,
      execArgv: execArgv ?? (writer === undefined ? EXEC_ARGV : FOREIGN_ARGV),
      ...(writer === undefined ? {} : { useCodeCache: false }),
      main: basename(main),
      assets: Object.fromEntries(Object.entries(assets).map(([name, path]) => [name, basename(path)])),
      output: basename(blob),
    }),
  );
  const [program = node, ...words] = [...runner, writer ?? node, SEED, '--experimental-sea-config', config];
  execaSync(program, words, { cwd: folder, env: { NODE_OPTIONS: '' } });
}

/** What a program that was packed says to `--version`. @throws Error where it does not run */
export function printedVersion(program: string, runner: readonly string[] = []): string {
  const [file = program, ...words] = [...runner, program, '--version'];
  // With a variable for Node.js the program would begin anew without it, which no emulator can follow.
  const env = withoutNodeVariables(process.env) ?? process.env;
  return execaSync(file, words, { timeout: 60_000, env, extendEnv: false }).stdout;
}
