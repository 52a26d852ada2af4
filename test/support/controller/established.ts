import { setTimeout as sleep } from 'node:timers/promises';

/** What kubectl's wait says, instead of waiting, of an object that has no conditions at all yet. */
const NO_CONDITIONS_YET = /conditions accessor error: <nil>/;
const LIMIT_S = 180;

/**
 * Waits until an API server serves the resources of definitions that were just applied.
 *
 * @param crds Words that name them to kubectl.
 */
export async function waitUntilEstablished(
  kubectl: (words: string[]) => Promise<unknown>,
  crds: readonly string[] = ['crd', '--all'],
): Promise<void> {
  const end = performance.now() + LIMIT_S * 1000;
  for (;;) {
    try {
      await kubectl(['wait', '--for=condition=Established', ...crds, `--timeout=${LIMIT_S}s`]);
      return;
    } catch (error) {
      if (!NO_CONDITIONS_YET.test(String(error)) || performance.now() > end) throw error;
      await sleep(200);
    }
  }
}
