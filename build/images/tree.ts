import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { PACKAGED_BINARY, WANTED_BY } from '../../src/agent/install/layout.ts';
import { BUILDER, type Platform } from '../platforms.ts';
import { root, unitFile } from '../project.ts';

/** What every image format packs, in the words of its own. */
export interface Package {
  readonly platform: Platform;
  /** A folder with `slipway-PLATFORM` for this one and for the builder, and LICENSES.txt. */
  readonly from: string;
  readonly version: string;
  /** A folder that stands for `/`. */
  readonly tree: string;
  /** A folder for what is made on the way; the tree is in it. */
  readonly scratch: string;
  /** The commit's time, in seconds since 1970: every file has it, so the same commit gives the same bytes. */
  readonly epoch: number;
  /** Absolute path of the result without its suffix. */
  readonly output: string;
}

const UNITS = 'usr/lib/systemd/system';

/** Lays the package's files into its tree. @throws Error where the binary is not built */
export function populateTree({ platform, from, tree }: Package): void {
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  };
  mkdirSync(join(tree, dirname(PACKAGED_BINARY)), { recursive: true });
  copyFileSync(join(from, `slipway-${platform}`), join(tree, PACKAGED_BINARY));
  chmodSync(join(tree, PACKAGED_BINARY), 0o755);
  for (const [name, target] of Object.entries(WANTED_BY)) {
    put(`${UNITS}/${name}`, unitFile(name).replaceAll('/usr/local/bin/slipway', PACKAGED_BINARY));
    if (target === undefined) continue;
    const wants = join(tree, UNITS, `${target}.wants`);
    mkdirSync(wants, { recursive: true });
    symlinkSync(`../${name}`, join(wants, name));
  }
  mkdirSync(join(tree, 'usr/share/doc/slipway'), { recursive: true });
  copyFileSync(join(from, 'LICENSES.txt'), join(tree, 'usr/share/doc/slipway/copyright'));
  put('usr/share/man/man8/slipway.8', `${execaSync(join(from, `slipway-${BUILDER}`), ['man']).stdout}\n`);
}

/** Gives each file and folder the commit's time, whatever the umask the usual mode. */
export function normalizeTree(folder: string, epoch: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) normalizeTree(path, epoch);
    else if (!entry.isSymbolicLink()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, epoch, epoch);
}

/** A file of images/ with its `@NAME@` filled in. */
export function template(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/@([A-Z]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`images/: nobody knows @${name}@`);
    return value;
  });
}

/** Absolute path of a file of images/. */
export function imageFile(...names: string[]): string {
  return join(root, 'images', ...names);
}
