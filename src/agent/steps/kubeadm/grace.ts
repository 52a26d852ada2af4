import type { KubeadmFailure } from '../../diagnosis/words/classify.ts';
import type { AttemptNote } from '../../kubeadm/repeat/attempt-note.ts';
import type { Lack } from '../../kubeadm/run/await-cluster.ts';
import { GRACE_SECONDS } from '../../kubeadm/run/timeouts.ts';

type Lacking = AttemptNote['lacking'];

/** What an attempt lacked, if kubeadm says the same of it, with the time of the attempts before it that lacked it too. */
export function lackingIn(
  found: Pick<KubeadmFailure, 'code' | 'persistence'> | undefined,
  what: Lack | undefined,
  seconds: number,
  before: Lacking,
): Lacking {
  if (what === undefined) return undefined;
  // A token that has come meanwhile is told with the same code, and passes.
  const isSame =
    what === 'token'
      ? found?.code === 'TokenUnknown' && found.persistence === 'until-deadline'
      : found?.code === 'ApiServerUnreachable';
  if (!isSame) return undefined;
  return { what, seconds: seconds + (before?.what === what ? before.seconds : 0) };
}

export function isGraceOver(lacking: Lacking): boolean {
  return lacking !== undefined && lacking.seconds >= GRACE_SECONDS;
}
