import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import type { Platform } from '../platforms.ts';
import { projectVersion, root } from '../project.ts';
import { makeDeb } from './deb.ts';
import { makeOci, makeOciIndex } from './oci.ts';
import { makeRpm } from './rpm.ts';
import { makeSysext } from './sysext.ts';
import type { Package } from './tree.ts';

/** What can be made, by the word on the command line. */
const FORMATS = {
  deb: (made: Package) => makeDeb(made),
  rpm: (made: Package) => makeRpm(made),
  sysext: (made: Package) => makeSysext(made, 'squashfs'),
  'sysext-erofs': (made: Package) => makeSysext(made, 'erofs'),
  oci: (made: Package) => makeOci(made),
};
export type Format = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];

/** @param text names with commas between them; empty: none. @throws Error for a name that is none */
export function readFormats(text: string): Format[] {
  return text
    .split(',')
    .filter((word) => word !== '')
    .map((word) => {
      const format = FORMAT_NAMES.find((name) => name === word);
      if (format === undefined) throw new Error(`${word}: there is ${FORMAT_NAMES.join(', ')}`);
      return format;
    });
}

interface ImageOptions {
  readonly format: Format;
  readonly platform: Platform;
  /** Where it goes. */
  readonly folder: string;
  /** Where the programs are; default: dist/. */
  readonly from?: string;
  /** Another than package.json's. */
  readonly version?: string;
}

/** Packs a binary. @returns path of the result. @throws Error where it is not built, or a tool is missing */
export function makeImage(options: ImageOptions): string {
  const { format, platform, folder, from = join(root, 'dist'), version = projectVersion() } = options;
  needBinary(from, platform);
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, '.image-'));
  const tree = join(scratch, 'tree');
  mkdirSync(tree);
  try {
    const epoch = commitTime();
    return FORMATS[format]({
      platform,
      from,
      version,
      tree,
      scratch,
      epoch,
      output: join(folder, 'slipway'),
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Packs the agent of several platforms into one OCI image. @returns its path. @throws Error where one is not built */
export function makeIndex(
  options: Pick<ImageOptions, 'folder' | 'from'>,
  platforms: readonly Platform[],
): string {
  const { folder, from = join(root, 'dist') } = options;
  for (const platform of platforms) needBinary(from, platform);
  mkdirSync(folder, { recursive: true });
  const output = join(folder, 'slipway');
  return makeOciIndex(platforms, { from, version: projectVersion(), epoch: commitTime(), output });
}

function needBinary(from: string, platform: Platform): void {
  const binary = join(from, `slipway-${platform}`);
  if (!existsSync(binary)) throw new Error(`${binary} is missing: npm run build -- --platform ${platform}`);
}

/** In seconds since 1970, or SOURCE_DATE_EPOCH. */
function commitTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  return Number(given ?? execaSync('git', ['log', '-1', '--format=%ct'], { cwd: root }).stdout);
}
