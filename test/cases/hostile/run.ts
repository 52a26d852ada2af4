import { asks, flood } from './flood.ts';
import { full } from './full.ts';
import { handshakes } from './handshakes.ts';
import { identity } from './identity/identity.ts';
import { pods } from './pods.ts';
import { rights } from './rights.ts';
import { openScene } from './scene.ts';
import { strangers } from './strangers.ts';

export const about =
  'attacks that found something once: on the controller with its own rights and a real API server';

/** One file or folder for each kind of attack; all share one cluster and one controller. */
const ATTACKS = [identity, rights, pods, flood, full, asks, strangers, handshakes];

export async function run(say: (line: string) => void): Promise<void> {
  const scene = await openScene(say);
  try {
    for (const attack of ATTACKS) await attack(scene);
  } catch (error) {
    say(`the controllers' last words:\n${scene.lastWords()}`);
    throw error;
  } finally {
    await scene.close();
  }
}
