import { join } from 'node:path';
import { execa } from 'execa';
import { unpackedPackage } from '../../lab/lab.ts';

/** Debian's minisign, which need not be installed; `env` is what others need who call it. */
export async function realMinisign(say: (line: string) => void) {
  const [program, library] = [
    await unpackedPackage('minisign', say),
    await unpackedPackage('libsodium23', say),
  ];
  const env = {
    PATH: `${join(program, 'usr/bin')}:${process.env.PATH}`,
    LD_LIBRARY_PATH: join(library, 'usr/lib/x86_64-linux-gnu'),
  };
  return Object.assign((...words: string[]) => execa('minisign', words, { env }), { env });
}
