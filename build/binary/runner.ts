import { existsSync } from 'node:fs';
import { installPackages } from '../install-packages.ts';
import { BUILDER, type Platform } from '../platforms.ts';

const QEMU = '/usr/bin/qemu-aarch64-static';
/** The C and C++ libraries that Node.js needs, where Debian's packages for cross compilers have them. */
const LIBRARIES = '/usr/aarch64-linux-gnu';
const PACKAGES = ['qemu-user-static', 'libstdc++6-arm64-cross'];

/**
 * What runs programs of a platform here: a code cache serves only the V8 that made it, so the Node.js of each binary
 * has to run. Nothing for the builder's own and for this machine's, QEMU's emulation of a process for arm64.
 *
 * @throws Error where it is missing and cannot be installed
 */
export function runnerOf(platform: Platform): readonly string[] {
  if (platform === BUILDER || platform === `linux-${process.arch}`) return [];
  if (!isThere()) install();
  return [QEMU, '-L', LIBRARIES];
}

function isThere(): boolean {
  return existsSync(QEMU) && existsSync(`${LIBRARIES}/lib/libstdc++.so.6`);
}

function install(): void {
  console.log(`installing ${PACKAGES.join(' and ')}`);
  const failed = installPackages(...PACKAGES);
  if (!isThere())
    throw new Error(
      `binaries for arm64 need QEMU and libraries: apt-get install ${PACKAGES.join(' ')} (${failed})`,
    );
}
