import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMAT_NAMES, makeImage, makeIndex, readFormats } from './images/images.ts';
import { BUILDER, PLATFORMS } from './platforms.ts';
import { root } from './project.ts';
import { megabytes } from './sizes.ts';

// npm run images -- [deb] [rpm] [sysext] [sysext-erofs] [oci] [--all] [--from FOLDER] [--out FOLDER]: packages of the
// binaries in dist/, into dist/images; with --all for each platform, and an OCI image of all of them. Times of files are the
// commit's, or SOURCE_DATE_EPOCH.
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      from: { type: 'string', default: join(root, 'dist') },
      out: { type: 'string', default: join(root, 'dist', 'images') },
    },
  });
  const [folder, from] = [resolve(values.out), resolve(values.from)];
  const tell = (path: string) => console.log(`${relative(root, path)}: ${megabytes(statSync(path).size)}`);
  const formats = positionals.length > 0 ? readFormats(positionals.join(',')) : FORMAT_NAMES;
  for (const format of formats) {
    for (const platform of values.all ? PLATFORMS : [BUILDER])
      tell(makeImage({ format, platform, folder, from }));
  }
  if (values.all && formats.includes('oci')) tell(makeIndex({ folder, from }, PLATFORMS));
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
