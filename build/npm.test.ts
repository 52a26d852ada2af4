import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratch } from '../test/support/tmp/scratch.ts';
import { npm } from './npm.ts';
import { needSbom } from './release/sbom.ts';

/** An npm that says how it was called, and has no sbom, in an npm script that runs it with `node`. */
function fakeNpm(): { program: string; folder: string } {
  const folder = scratch();
  const [node, program] = [join(folder, 'node'), join(folder, 'npm-cli.js')];
  writeFileSync(
    node,
    '#!/bin/sh\ncase "$2" in --version) echo 9.2.0;; sbom) echo Unknown command; exit 1;; *) echo "$@";; esac\n',
  );
  chmodSync(node, 0o755);
  vi.stubEnv('npm_node_execpath', node);
  vi.stubEnv('npm_execpath', program);
  return { program, folder };
}

it('runs the npm of the npm script with its own Node.js', () => {
  const { program, folder } = fakeNpm();
  expect(npm(['pack', 'x'], folder)).toEqual({ ok: true, stdout: `${program} pack x`, stderr: '' });
  vi.unstubAllEnvs();
});

it('says in one sentence that npm is too old for an SBOM', () => {
  fakeNpm();
  expect(needSbom).toThrow(
    /^npm 9\.2\.0 cannot write an SBOM \(npm sbom\): use npm 10 or newer for npm run release$/,
  );
  vi.unstubAllEnvs();
});
