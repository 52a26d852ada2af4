import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { type AgentPlatform, WINDOWS } from '../platforms.ts';

interface Upstream {
  /** Where releases of Node.js lie. */
  readonly from: string;
  /** Such as `v24.21.0`. */
  readonly version: string;
  /** File with the public keys of those who release Node.js, as gpgv reads it. */
  readonly keyring: string;
  /** What lies in our packages, by platform: SHA-256. */
  readonly ours: Readonly<Partial<Record<AgentPlatform, string>>>;
}

/**
 * Holds the Node.js of each platform against upstream's release: the signature of SHASUMS256.txt, by it the archive, and in that the
 * program. Windows' program is in the sums itself.
 *
 * @param say gets a line for each platform
 * @throws Error where anything cannot be had, is not signed, or is another
 */
export async function compareUpstream(upstream: Upstream, say: (line: string) => void): Promise<void> {
  const { from, version, keyring, ours } = upstream;
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-upstream-'));
  const fetched = async (name: string): Promise<Buffer> => {
    const url = `${from}/${version}/${name}`;
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  try {
    const signed = join(scratch, 'SHASUMS256.txt.asc');
    writeFileSync(signed, await fetched('SHASUMS256.txt.asc'));
    // What gpgv writes is what was signed, and nothing that stands around it.
    const sums = execaSync('gpgv', ['--keyring', keyring, '--output', '-', signed]).stdout;
    for (const [platform, our] of Object.entries(ours)) {
      const windows = platform === WINDOWS;
      const name = windows ? 'win-x64/node.exe' : `node-${version}-${platform}.tar.xz`;
      const sum = sums
        .split('\n')
        .find((line) => line.endsWith(`  ${name}`))
        ?.slice(0, 64);
      if (sum === undefined) throw new Error(`the signed sums do not name ${name}`);
      const theirs = windows
        ? sum
        : programIn(await fetched(name), sum, `node-${version}-${platform}`, scratch);
      if (theirs !== our) throw new Error(`${platform}: ours is ${our}, upstream's ${theirs}`);
      say(`${our}  ${platform}: upstream's, by its signed sums`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @returns SHA-256 of `bin/node` in an archive whose own is `sum` */
function programIn(archive: Buffer, sum: string, folder: string, scratch: string): string {
  const found = sha256(archive);
  if (found !== sum) throw new Error(`${folder}.tar.xz is ${found}, not ${sum}, which was signed`);
  const path = join(scratch, `${folder}.tar.xz`);
  writeFileSync(path, archive);
  execaSync('tar', ['--extract', '--xz', '--file', path, '--directory', scratch, `${folder}/bin/node`]);
  return sha256(readFileSync(join(scratch, folder, 'bin/node')));
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
