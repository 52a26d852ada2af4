import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bundle } from '../binary/bundle.ts';
import { packagesOf } from '../binary/licenses.ts';
import { npm } from '../npm.ts';
import { type AgentPlatform, WINDOWS } from '../platforms.ts';
import { projectVersion, root } from '../project.ts';
import { type Component, nodeComponents } from './node-components.ts';

interface Sbom {
  readonly components: readonly Component[];
  readonly [field: string]: unknown;
}

interface Described {
  readonly program: 'slipway' | 'slipway-controller';
  readonly platform: AgentPlatform;
  /** Absolute path of the binary. */
  readonly path: string;
  /** The commit's, as an ISO 8601 timestamp: the same commit has the same SBOM. */
  readonly date: string;
}

/** @throws Error where npm cannot write one, before a release spends minutes on what goes into it */
export function needSbom(): void {
  npmSbom();
}

function npmSbom(): Sbom {
  // All of them: with --omit=dev npm also leaves out what a development package may use beside the program.
  const { ok, stdout, stderr } = npm(['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], root);
  if (ok) return JSON.parse(stdout) as Sbom;
  const version = npm(['--version'], root).stdout;
  if (/Unknown command/.test(stdout + stderr))
    throw new Error(
      `npm ${version} cannot write an SBOM (npm sbom): use npm 10 or newer for npm run release`,
    );
  throw new Error(`npm sbom failed (npm ${version}): ${stderr || stdout}`);
}

/**
 * The SBOM of a binary (CycloneDX 1.5, JSON): the npm packages that are in its bundle, from `npm sbom`, and what npm does
 * not know of: Node.js with its sums and what was done to it, and what is built into it, by its own account.
 *
 * @throws Error where the binary does not hold the Node.js that the SBOM would name
 */
export async function sbom({ program, platform, path, date }: Described): Promise<string> {
  const all = npmSbom();
  const system = platform === WINDOWS ? 'win32' : 'linux';
  const { inputs } = await bundle({ entry: `src/${program}.ts`, system });
  const embedded = packagesOf(inputs).map(({ name, version }) => {
    const component = all.components.find((one) => one.name === name && one.version === version);
    if (component === undefined)
      throw new Error(`npm sbom does not know ${name} ${version}, which is in ${program}`);
    return component;
  });
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const whole = {
    type: 'application',
    'bom-ref': `${program}-${platform}`,
    name: program,
    version: projectVersion(),
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    licenses: [{ license: { id: 'Apache-2.0' } }],
    properties: [{ name: 'slipway:platform', value: platform }],
  };
  const components = [...embedded, ...nodeComponents(platform, path)];
  return `${JSON.stringify(
    {
      $schema: all.$schema,
      bomFormat: 'CycloneDX',
      specVersion: all.specVersion,
      version: 1,
      metadata: { timestamp: date, component: whole },
      components,
      dependencies: [
        { ref: whole['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) },
      ],
    },
    undefined,
    2,
  )}\n`;
}
