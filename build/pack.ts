import { chmodSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js';

/**
 * What Node.js is told for every start of the binary. Nothing but this: `none` shuts NODE_OPTIONS and --node-options
 * out, so a variable left in a unit or in /etc/environment can neither break the agent nor load code into it.
 * The commands the agent starts still inherit the variable.
 */
const seaConfig = {
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  useCodeCache: true,
  execArgv: ['--disable-warning=ExperimentalWarning'],
  execArgvExtension: 'none',
};

export interface PackOptions {
  /** Absolute path of the bundle, one CommonJS file. pkg's temporary files appear beside it. */
  readonly bundle: string;
  /** Absolute path of the (stripped) Node.js binary; it also writes the blob, so that both have one version. */
  readonly node: string;
  /** Absolute path of the result. */
  readonly output: string;
}

/**
 * Makes one executable file of a bundle and a Node.js binary through pkg, as a plain single executable application:
 * without pkg's virtual file system, whose prelude the agent would pay for at every start. `node` keeps pkg from
 * looking for a base binary anywhere else.
 *
 * @throws Error with the failing part's own words.
 */
export async function pack(options: PackOptions): Promise<void> {
  // Node.js writes the script's path as it is given into the binary. pkg gives an absolute one, which would show the
  // builder's folders and differ on every machine; a path relative to pkg's temporary folder is the same everywhere.
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = dirname(options.bundle);
  try {
    await pkgSea.default(options.bundle, {
      nodePath: options.node,
      seaConfig: { ...seaConfig, ...{ main: `../${basename(options.bundle)}` } },
      targets: [{ platform: 'linux', arch: 'x64', nodeRange: 'node24', output: options.output }],
    });
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
  chmodSync(options.output, 0o755);
}
