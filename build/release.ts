import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectVersion } from './project.ts';
import { release } from './release/release.ts';

// npm run release -- [--key FILE] [--out FOLDER]: everything for every platform, with SBOMs, provenance, sums, signature.
try {
  const { values } = parseArgs({ options: { key: { type: 'string' }, out: { type: 'string' } } });
  const folder = resolve(values.out ?? `dist/slipway-${projectVersion()}`);
  await release({ folder, ...(values.key ? { key: resolve(values.key) } : {}), say: console.log });
  console.log(folder);
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
