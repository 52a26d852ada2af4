import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILDER, distPath, type Platform } from '../platforms.ts';
import { root } from '../project.ts';
import { baseNode } from './base/base-node.ts';
import { stripBinary } from './base/strip.ts';
import { bundle } from './bundle.ts';
import { components } from './components.ts';
import { licensesText, partsOf } from './licenses.ts';
import { pack, printedVersion } from './pack.ts';

/**
 * Builds the controller's binary, for linux-x64 where nothing else is said, and beside it the licences of what is in it and what clusterctl takes:
 * addon-components.yaml, namespace-rights.yaml and metadata.yaml. As with the agent, files appear by rename, after the new binary has run.
 *
 * @returns what the new binary says of itself
 */
export async function buildController(
  platform: Platform = BUILDER,
  binary = distPath('slipway-controller', platform),
): Promise<string> {
  const { path, runner } = baseNode(platform);
  const dist = dirname(binary);
  mkdirSync(dist, { recursive: true });
  const scratch = mkdtempSync(join(dist, '.build-controller-'));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const [main, chains, licenses, node, output] = [
      'slipway-controller.cjs',
      'chains',
      'licenses',
      'node',
      'slipway-controller',
    ].map((name) => join(scratch, name)) as [string, string, string, string, string];
    const { code, inputs } = await bundle({ entry: 'src/slipway-controller.ts' });
    writeFileSync(main, code);
    // A thread runs a program of its own, which imports a part of the same sources.
    writeFileSync(chains, (await bundle({ entry: 'src/controller/chains/worker.ts' })).code);
    writeFileSync(licenses, licensesText(partsOf(inputs)));
    stripBinary(path, node);
    pack({ main, assets: { licenses, chains }, node, runner, output });
    const answer = printedVersion(output, runner);
    writeFileSync(join(dist, 'addon-components.yaml'), components());
    writeFileSync(
      join(dist, 'namespace-rights.yaml'),
      readFileSync(join(root, 'manifests/namespace/rights.yaml')),
    );
    writeFileSync(join(dist, 'metadata.yaml'), readFileSync(join(root, 'manifests/metadata.yaml')));
    renameSync(licenses, join(dist, 'LICENSES-controller.txt'));
    renameSync(output, binary);
    return answer;
  } finally {
    remove();
    process.off('exit', remove);
  }
}
