import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMAT_NAMES, makeImage, readFormats } from './images/images.ts';
import { BUILDER, PLATFORMS } from './platforms.ts';
import { root } from './project.ts';
import { megabytes } from './sizes.ts';

// npm run images -- [deb] [rpm] [sysext] [sysext-erofs] [oci] [--all] [--out FOLDER]: packages of the binaries
// in dist/, into dist/images; times of files are the commit's, or SOURCE_DATE_EPOCH.
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      out: { type: 'string', default: join(root, 'dist', 'images') },
    },
  });
  for (const format of positionals.length > 0 ? readFormats(positionals.join(',')) : FORMAT_NAMES) {
    for (const platform of values.all ? PLATFORMS : [BUILDER]) {
      const path = makeImage({ format, platform, folder: resolve(values.out) });
      console.log(`${relative(root, path)}: ${megabytes(statSync(path).size)}`);
    }
  }
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
