import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runnerOf } from '../../../build/binary/runner.ts';
import { root as checkout, projectVersion } from '../../../build/project.ts';
import { builderLayers } from '../../lab/images/image-build.ts';
import { inRoot } from '../../lab/lab.ts';
import { armLibrariesTar } from '../../lab/root/debian-root.ts';

/**
 * One image of the controller for both platforms, of its Containerfile: each platform takes its own, and that for arm64 runs with
 * the libraries that its image has.
 *
 * @param programs folder with `dist/`
 */
export async function expectControllerImage(programs: string, say: (line: string) => void): Promise<void> {
  const [qemu = ''] = runnerOf('linux-arm64');
  const { code, stdout, stderr } = await inRoot({
    lower: await builderLayers(say),
    binds: [
      { from: programs, to: '/programs', readOnly: true },
      { from: join(checkout, 'images/slipway-controller'), to: '/recipe', readOnly: true },
      { from: dirname(await armLibrariesTar(say)), to: '/arm64', readOnly: true },
      { from: dirname(qemu), to: '/emulators', readOnly: true },
    ],
    env: { QEMU: basename(qemu) },
    script: readFileSync(join(import.meta.dirname, 'controller-image.sh'), 'utf8'),
    timeoutMs: 600_000,
  });
  assert.equal(code, 0, stderr);
  const [first, second, version = ''] = stdout.split('\n');
  assert.deepEqual([first, second], ['amd64 amd64', 'arm64 arm64']);
  assert.match(version, new RegExp(`^slipway-controller ${projectVersion()} .*, linux-arm64\\)$`));
}
