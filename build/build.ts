import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { buildBinary } from './binary/binary.ts';
import { buildController } from './binary/controller-binary.ts';
import { buildWindows } from './binary/windows/windows.ts';
import { AGENT_PLATFORMS, type AgentPlatform, BUILDER, distPath, WINDOWS } from './platforms.ts';
import { bundlePath, root } from './project.ts';
import { megabytes, zstdSize } from './sizes.ts';

// npm run build [-- --platform P]... [-- --all] [-- --zstd]: for linux-x64 where nothing else is said; for windows-x64 the
// agent alone. --zstd also
// compresses the binaries as a release does, which takes longer than all the rest.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  const { all, platform, zstd } = options();
  for (const one of all ? AGENT_PLATFORMS : platform) {
    if (one === WINDOWS) {
      console.log(await buildWindows());
      tellSize(distPath('slipway', one), zstd);
      continue;
    }
    console.log(await buildBinary(one));
    console.log(await buildController(one));
    if (one === BUILDER) writeManuals();
    for (const path of [distPath('slipway', one), distPath('slipway-controller', one)]) tellSize(path, zstd);
  }
  if (existsSync(bundlePath)) tellSize(bundlePath, true);
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function options(): { all: boolean; platform: AgentPlatform[]; zstd: boolean } {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      platform: { type: 'string', multiple: true, default: [BUILDER] },
      zstd: { type: 'boolean', default: false },
    },
  });
  const platform = values.platform.map((name) => {
    const known = AGENT_PLATFORMS.find((one) => one === name);
    if (known === undefined) throw new Error(`--platform ${name}: there is ${AGENT_PLATFORMS.join(', ')}`);
    return known;
  });
  return { ...values, platform };
}

function writeManuals(): void {
  for (const name of ['slipway', 'slipway-controller'] as const) {
    const { stdout } = execaSync(distPath(name, BUILDER), ['man']);
    writeFileSync(join(root, 'dist', `${name}.8`), `${stdout}\n`);
  }
}

function tellSize(path: string, compressed: boolean): void {
  const zstd = compressed ? `, ${megabytes(zstdSize(readFileSync(path)))} as zstd -19` : '';
  console.log(`${relative(root, path)}: ${megabytes(statSync(path).size)}${zstd}`);
}
