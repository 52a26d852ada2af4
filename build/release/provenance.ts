import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_PLATFORMS, NODE_SHA256, nodePackage } from '../platforms.ts';
import { projectVersion, root } from '../project.ts';

/** A file of the release by its name. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/**
 * Where a release comes from, as in-toto's Statement with SLSA's provenance: the commit, every npm package of the build with
 * its sum, and the Node.js in the binaries. It is SLSA's level 1: whoever releases says it of themselves. Nothing in it is
 * of the day or the machine, so the same commit has the same.
 *
 * @param commit forty hexadecimal digits
 */
export function provenance(subjects: readonly Subject[], commit: string): string {
  return `${JSON.stringify(
    {
      _type: 'https://in-toto.io/Statement/v1',
      subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: 'https://slipway.dev/build/npm-run-release/v1',
          externalParameters: { version: projectVersion(), platforms: AGENT_PLATFORMS },
          resolvedDependencies: [
            { name: 'slipway', digest: { gitCommit: commit } },
            ...AGENT_PLATFORMS.map((platform) => ({
              name: `bin/node of ${nodePackage(platform)}`,
              digest: { sha256: NODE_SHA256[platform] },
            })),
            ...lockedPackages(),
          ],
        },
        runDetails: { builder: { id: 'https://slipway.dev/build/by-hand' } },
      },
    },
    undefined,
    2,
  )}\n`;
}

function lockedPackages(): { uri: string; digest: { sha512: string } }[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  return Object.entries(packages).flatMap(([path, { version, integrity }]) => {
    if (!integrity?.startsWith('sha512-')) return [];
    const name = path.replace(/^.*node_modules\//, '');
    const sha512 = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    return [{ uri: `pkg:npm/${name.replace('@', '%40')}@${version}`, digest: { sha512 } }];
  });
}
