import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMAT_NAMES, readFormats } from './images/images.ts';
import { projectVersion } from './project.ts';
import { release } from './release/release.ts';

// npm run release -- [--key FILE] [--out FOLDER] [--images FORMAT,...]: everything for every platform, packages and images
// too (all formats of npm run images, where it is not said which), with SBOMs, provenance, sums, signature.
try {
  const { values } = parseArgs({
    options: { key: { type: 'string' }, out: { type: 'string' }, images: { type: 'string' } },
  });
  const folder = resolve(values.out ?? `dist/slipway-${projectVersion()}`);
  const formats = values.images === undefined ? FORMAT_NAMES : readFormats(values.images);
  await release({ folder, formats, ...(values.key ? { key: resolve(values.key) } : {}), say: console.log });
  console.log(folder);
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
