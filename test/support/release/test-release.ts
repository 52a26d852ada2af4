import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectVersion } from '../../../build/project.ts';
import { DIST } from '../machines.ts';
import { realMinisign } from './minisign.ts';

export interface TestRelease {
  /** A folder as a web server has it. */
  readonly folder: string;
  /** minisign's public key, and that of a stranger. */
  readonly key: string;
  readonly strangersKey: string;
  /** SHA-256 of the program. */
  readonly sha256: string;
}

/** What a machine fetches of a release: the built program, its sums, their signature by a key of this test. */
export async function makeTestRelease(scratch: string, say: (line: string) => void): Promise<TestRelease> {
  const folder = join(scratch, 'release');
  mkdirSync(folder);
  const program = join(folder, 'slipway-linux-x64');
  writeFileSync(program, readFileSync(DIST));
  const sha256 = createHash('sha256').update(readFileSync(program)).digest('hex');
  const sums = join(folder, 'SHA256SUMS');
  writeFileSync(sums, `${sha256}  slipway-linux-x64\n${'0'.repeat(64)}  slipway-linux-arm64\n`);
  const minisign = await realMinisign(say);
  const keys = await Promise.all(
    ['key', 'stranger'].map(async (name) => {
      const [secret, open] = [join(scratch, name), join(scratch, `${name}.pub`)];
      await minisign('-G', '-W', '-s', secret, '-p', open);
      return readFileSync(open, 'utf8').split('\n')[1] ?? '';
    }),
  );
  const comment = `slipway ${projectVersion()} commit ${'0'.repeat(40)}`;
  await minisign('-S', '-s', join(scratch, 'key'), '-m', sums, '-t', comment);
  return { folder, key: keys[0] ?? '', strangersKey: keys[1] ?? '', sha256 };
}
