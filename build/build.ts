import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { execaSync } from 'execa';
import { buildBinary } from './binary/binary.ts';
import { buildController } from './binary/controller-binary.ts';
import { binaryPath, bundlePath, controllerBinaryPath, root } from './project.ts';
import { megabytes, zstdSize } from './sizes.ts';

// npm run build [-- --zstd]: --zstd also compresses the binary as a release does, which takes longer than all the rest.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  console.log(await buildBinary());
  console.log(await buildController());
  for (const [name, path] of [
    ['slipway', binaryPath],
    ['slipway-controller', controllerBinaryPath],
  ] as const)
    writeFileSync(join(root, 'dist', `${name}.8`), `${execaSync(path, ['man']).stdout}\n`);
  for (const path of [bundlePath, binaryPath, controllerBinaryPath]) {
    const compressed = path === bundlePath || process.argv.includes('--zstd');
    const zstd = compressed ? `, ${megabytes(zstdSize(readFileSync(path)))} as zstd -19` : '';
    console.log(`${relative(root, path)}: ${megabytes(statSync(path).size)}${zstd}`);
  }
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
