import { chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';

// pkg's entry in the part that makes single executables; its public one takes no settings for them. As a plain
// require, because loaders differ in what they call the default export of such a file.
const { default: sea } = createRequire(import.meta.url)('@yao-pkg/pkg/lib-es5/sea.js') as PkgSea;
type PkgSea = typeof import('@yao-pkg/pkg/lib-es5/sea.js');

/** Options of Node.js and V8 for every start. The code cache must be made under the same ones. */
export const EXEC_ARGV = ['--disable-warning=ExperimentalWarning'];

/**
 * What Node.js is told for every start of the binary. Nothing but this: `none` shuts NODE_OPTIONS and --node-options
 * out, so a variable left in a unit or in /etc/environment can neither break the agent nor load code into it.
 * The commands the agent starts still inherit the variable.
 */
const seaConfig = {
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  useCodeCache: true,
  execArgv: EXEC_ARGV,
  execArgvExtension: 'none',
};

export interface PackOptions {
  /** Absolute path of the main script, one CommonJS file. pkg's temporary files appear beside it. */
  readonly main: string;
  /** Names of files beside the main script that go into the binary, by the name under which it asks for them. */
  readonly assets?: Readonly<Record<string, string>>;
  /** Absolute path of the (stripped) Node.js binary; it also writes the blob, so that both have one version. */
  readonly node: string;
  /** Absolute path of the result. */
  readonly output: string;
}

/**
 * Makes one executable file of a script and a Node.js binary through pkg, as a plain single executable application:
 * without pkg's virtual file system, whose prelude the agent would pay for at every start. `node` keeps pkg from
 * looking for a base binary anywhere else.
 *
 * @throws Error with the failing part's own words.
 */
export async function pack(options: PackOptions): Promise<void> {
  // Node.js writes the script's path as it is given into the binary. pkg gives an absolute one, which would show the
  // builder's folders and differ on every machine; a path relative to pkg's temporary folder is the same everywhere.
  const beside = (name: string): string => `../${name}`;
  const files = {
    main: beside(basename(options.main)),
    assets: Object.fromEntries(
      Object.entries(options.assets ?? {}).map(([key, name]) => [key, beside(name)]),
    ),
  };
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = dirname(options.main);
  try {
    await sea(options.main, {
      nodePath: options.node,
      seaConfig: { ...seaConfig, ...files },
      targets: [{ platform: 'linux', arch: 'x64', nodeRange: 'node24', output: options.output }],
    });
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
  chmodSync(options.output, 0o755);
}
