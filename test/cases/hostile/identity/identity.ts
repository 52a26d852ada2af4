import type { Scene } from '../scene.ts';
import { certificates, expired } from './certificates.ts';
import { claims } from './claims.ts';
import { limits } from './limits.ts';
import { rotation } from './rotation.ts';
import { texts } from './texts.ts';
import { tokens } from './tokens.ts';

/** Another machine's place: by claim, with an old token, with a certificate that ended. */
export async function identity(scene: Scene): Promise<void> {
  // What takes its time goes on beside the others.
  const rotated = await rotation(scene);
  try {
    const ended = await expired(scene);
    await claims(scene);
    await tokens(scene);
    await certificates(scene);
    await texts(scene);
    await limits(scene);
    await rotated.holds();
    await ended();
  } finally {
    await rotated.stop();
  }
}
