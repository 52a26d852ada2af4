import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { bundle } from '../binary/bundle.ts';
import { lockedPackage } from '../binary/npm-package.ts';
import { npm } from '../npm.ts';
import { type AgentPlatform, NODE_SHA256, nodePackage, WINDOWS } from '../platforms.ts';
import { nodeBinary, projectVersion, root } from '../project.ts';

/** The part of CycloneDX 1.5 that is read and written here. */
interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}
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
 * not know of: Node.js with its sums, and what is built into it, by its own account.
 */
export async function sbom({ program, platform, path, date }: Described): Promise<string> {
  const all = npmSbom();
  const system = platform === WINDOWS ? 'win32' : 'linux';
  const { inputs } = await bundle({ entry: `src/${program}.ts`, system });
  const embedded = packagesOf(inputs).map((name) => {
    const component = all.components.find((one) => one.name === name);
    if (component === undefined) throw new Error(`npm sbom does not know ${name}, which is in ${program}`);
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
  const components = [...embedded, ...nodeComponents(platform)];
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

/** Names of the packages that files of a bundle come from. */
function packagesOf(inputs: readonly string[]): string[] {
  const names = inputs.flatMap((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** Node.js as the npm package has it, and each library that it says it is built of. */
function nodeComponents(platform: AgentPlatform): Component[] {
  const { version, integrity } = lockedPackage(nodePackage(platform));
  const versions = JSON.parse(
    execaSync(nodeBinary(), ['-p', 'JSON.stringify(process.versions)']).stdout,
  ) as Record<string, string>;
  const { node: _, modules, napi, ...libraries } = versions;
  return [
    {
      type: 'application',
      'bom-ref': `node@${version}`,
      name: 'node',
      version,
      description: `Node.js, stripped of its ${platform === WINDOWS ? 'signature' : 'symbols'}`,
      purl: `pkg:npm/${nodePackage(platform)}@${version}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      hashes: [{ alg: 'SHA-256', content: NODE_SHA256[platform] }],
      properties: [
        { name: 'slipway:npm-integrity', value: integrity },
        { name: 'slipway:node-abi', value: `modules ${modules}, Node-API ${napi}` },
      ],
    },
    ...Object.entries(libraries)
      .filter(([, own]) => own !== '')
      .map(([name, own]) => ({
        type: 'library',
        'bom-ref': `node/${name}@${own}`,
        name,
        version: own,
        description: 'part of Node.js',
      })),
  ];
}
