import type { Scene } from '../scene.ts';
import { claims } from './claims.ts';
import { tokens } from './tokens.ts';

/** Another machine's place: by claim, with an old token, with a certificate that ended. */
export async function identity(scene: Scene): Promise<void> {
  await claims(scene);
  await tokens(scene);
}
