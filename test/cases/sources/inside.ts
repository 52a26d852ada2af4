import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { DIST } from '../../support/machines.ts';
import { staged } from '../../support/metadata/stage.ts';
import { makeTinyRoot } from '../../support/tiny-root.ts';
import { SCENES, type Scene } from './machines.ts';

/** Plays every scene with the real program, in a network namespace of its own; a line for each that came out right. */
async function play(scene: Scene): Promise<void> {
  const root = makeTinyRoot();
  try {
    // Clouds know keys, and root has them too: with words that send whoever comes by them to another user.
    mkdirSync(join(root.path, 'root'), { mode: 0o700 });
    const planned = await staged(scene, () => slipway('plan', root.path), root.path);
    const plan = JSON.parse(planned.result.stdout) as { source: string; metadata: { providerId?: string } };
    assert.equal(planned.result.exitCode, 0, planned.result.stderr);
    assert.equal(plan.source, scene.source);
    if (scene.providerId !== undefined) assert.equal(plan.metadata.providerId, scene.providerId);
    assert.equal(existsSync(join(root.path, 'made')), false, 'a plan changes nothing');
    const { result, requests } = await staged(scene, () => slipway('bootstrap', root.path), root.path);
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(readFileSync(join(root.path, 'made'), 'utf8'), scene.made);
    for (const request of scene.owes ?? []) {
      assert.ok(requests.includes(request), `${request} was not made`);
      assert.ok(!planned.requests.includes(request), `a plan made ${request}`);
    }
    for (const [path, content] of Object.entries(scene.leaves ?? {}))
      assert.equal(readFileSync(join(root.path, path), 'utf8'), content, path);
    console.log(`${scene.name}: ${scene.source}`);
  } finally {
    root.remove();
  }
}

function slipway(verb: string, root: string) {
  return execa(DIST, [verb, '--root', root, '--output', 'json'], { reject: false, timeout: 600_000 });
}

execaSync('ip', ['link', 'set', 'lo', 'up']);
for (const scene of SCENES) await play(scene);
