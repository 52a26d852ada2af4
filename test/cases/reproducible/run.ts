import assert from 'node:assert/strict';
import { builds, reproduce } from '../../../build/release/reproduce.ts';

export const about = 'the same commit gives the same bytes, in two folders';

export async function run(say: (line: string) => void): Promise<void> {
  assert.deepEqual(
    reproduce(builds(['linux-x64']), () => undefined),
    [],
  );
  say('slipway, slipway-controller and all that lies beside them are byte for byte the same');
}
