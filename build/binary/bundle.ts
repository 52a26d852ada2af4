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
export async function bundle({
  entry = 'src/slipway.ts',
  minify = true,
  system = 'linux',
}: BundleOptions = {}): Promise<Bundle> {
  const { warnings, outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: 'slipway.cjs',
    format: 'cjs',
    // The launcher runs the bundle as a script, which cannot import; a module of Node.js that is imported late is required.
    supported: { 'dynamic-import': false },
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    minify,
    plugins: [onlyHostOf(system)],
    // V8 keeps a string of ASCII in half the memory, and needs no decoding at start.
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    define: {
      'process.platform': JSON.stringify(system),
      SLIPWAY_VERSION: JSON.stringify(projectVersion()),
      SLIPWAY_COMMIT: JSON.stringify(projectCommit()),
      // A text: esbuild makes a module of its own for anything else, which each other one would evaluate.
      SLIPWAY_UNITS: JSON.stringify(JSON.stringify(system === 'win32' ? windowsFiles() : unitFiles())),
      SLIPWAY_PUBLIC_KEY: JSON.stringify(releaseKey()),
      // A bundle lies in no folder of sources; what asks for one has looked whether it is one.
      'import.meta.dirname': '""',
    },
  });
  if (warnings.length > 0) {
    throw new Error(
      warnings.map((warning) => `${warning.location?.file ?? 'bundle'}: ${warning.text}`).join('\n'),
    );
  }
  const output = outputFiles[0];
  if (!output) throw new Error('esbuild wrote no bundle');
  // Without the modules that are made here.
  const inputs = Object.keys(metafile.inputs).filter((path) => !/^absent:|^<define:/.test(path));
  return { code: output.text, inputs, metafile };
}

/** A bundle holds the host of one system; src/agent/create-host.ts imports both. */
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

/** What a bundle is after `asFunction`. */
export type AgentScript = (exports: object, require: (name: string) => unknown, module: object) => void;

/**
 * The bundle as an expression, in the way Node.js wraps a CommonJS module. ASCII only (see `bundle`), so that the
 * launcher can take the bytes as they are.
 */
export function asFunction(code: string): string {
  return `(function(exports,require,module){${code}\n})`;
}
