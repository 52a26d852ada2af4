import { build, type Metafile, type Plugin } from 'esbuild';
import { projectCommit, projectVersion, releaseKey, root, unitFiles, windowsFiles } from '../project.ts';

export interface Bundle {
  /** One CommonJS script that holds everything but Node.js's own modules. */
  readonly code: string;
  /** Paths from the project's root of every file that went in. */
  readonly inputs: readonly string[];
  readonly metafile: Metafile;
}

interface BundleOptions {
  /** Path of the entry, from the project's root. */
  readonly entry?: string;
  /** False keeps names and module borders readable, to find out what is evaluated when. */
  readonly minify?: boolean;
  /** The system that it is for, in the words of Node.js; default linux. What only other systems need is left out. */
  readonly system?: 'linux' | 'win32';
  /** Asked before the bundle's own. */
  readonly plugins?: readonly Plugin[];
  /** Default CommonJS; the other is for reading, and does not run in a binary. */
  readonly format?: 'cjs' | 'esm';
}

/**
 * Bundles the agent with all its dependencies.
 *
 * CommonJS, because that is what a single executable application can run with a code cache. A dynamic import becomes
 * a function call inside the same file, so a command's modules are parsed lazily and evaluated on first use only.
 *
 * @throws Error with esbuild's own words when a file does not resolve or parse, and for every warning: esbuild warns
 *   where an output would behave otherwise than its source (`import.meta` in CommonJS, an unknown import).
 */
export async function bundle(options: BundleOptions = {}): Promise<Bundle> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [options.entry ?? 'src/slipway.ts'],
    outfile: 'slipway.cjs',
    write: false,
    bundle: true,
    format: options.format ?? 'cjs',
    platform: 'node',
    target: 'node24',
    // The launcher runs the bundle as a script, which cannot import; a module of Node.js that is imported late is required.
    supported: { 'dynamic-import': false },
    minify: options.minify ?? true,
    plugins: [...(options.plugins ?? []), lateModules, onlyHostOf(options.system ?? 'linux')],
    // V8 keeps a string of ASCII in half the memory, and needs no decoding at start.
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    define: {
      'process.platform': JSON.stringify(options.system ?? 'linux'),
      SLIPWAY_VERSION: JSON.stringify(projectVersion()),
      SLIPWAY_COMMIT: JSON.stringify(projectCommit()),
      SLIPWAY_UNITS: JSON.stringify(options.system === 'win32' ? windowsFiles() : unitFiles()),
      SLIPWAY_PUBLIC_KEY: JSON.stringify(releaseKey()),
    },
  });
  if (result.warnings.length > 0) {
    throw new Error(
      result.warnings.map((warning) => `${warning.location?.file ?? 'bundle'}: ${warning.text}`).join('\n'),
    );
  }
  const output = result.outputFiles[0];
  if (!output) throw new Error('esbuild wrote no bundle');
  return {
    code: output.text,
    inputs: Object.keys(result.metafile.inputs).filter(
      (path) => !/^(?:late|absent|doors:|door|later|lent:):|^<define:/.test(path),
    ),
    metafile: result.metafile,
  };
}

/**
 * Modules of Node.js that take milliseconds to load and that most runs never call. What a bundle imports from them is
 * looked up when it is used: the stand-in has no property of its own, and its prototype asks the real module.
 */
const lateModules: Plugin = {
  name: 'late-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(crypto|net|zlib)$/ }, ({ path, namespace }) =>
      namespace === 'late' ? { path, external: true } : { path, namespace: 'late' },
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => require(${JSON.stringify(path)})[name] }));`,
    }));
  },
};

/** A bundle holds the host of one system; src/agent/machine.ts imports both. */
function onlyHostOf(system: 'linux' | 'win32'): Plugin {
  const other = system === 'linux' ? /\/host\/windows\/host\.ts$/ : /\/host\/linux\/host\.ts$/;
  return {
    name: 'only-host-of',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: other }, ({ path }) => ({ path, namespace: 'absent', sideEffects: false }));
      onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
        contents: 'export const createLinuxHost = undefined, createWindowsHost = undefined;',
      }));
    },
  };
}

/**
 * The bundle as an expression, in the way Node.js wraps a CommonJS module. ASCII only (see `bundle`), so that the
 * launcher can take the bytes as they are.
 */
export function asFunction(code: string): string {
  return `(function(exports,require,module){${code}\n})`;
}
