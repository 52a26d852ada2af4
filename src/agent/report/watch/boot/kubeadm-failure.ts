import type { EventFailure } from '../../../../protocol/events.ts';
import type { KubeadmProcess } from '../../../callers/kubeadm-process.ts';
import { diagnoseLog } from '../../../diagnosis/diagnose-log.ts';
import { readLines } from '../../../diagnosis/transcript/read-lines.ts';
import { classify, type KubeadmFailure } from '../../../diagnosis/words/classify.ts';
import { toEventFailure } from '../../events/from-journal.ts';

/** What is known of an attempt besides its output. */
interface KubeadmSight {
  /** What a kubeadm that was seen running did. */
  seen?: KubeadmProcess['verb'] | undefined;
  /** What it is to do. */
  meant?: KubeadmProcess['verb'] | undefined;
  /** Undefined where nobody knows it. */
  exitStatus?: number | undefined;
}

/**
 * Why kubeadm failed, out of what it and others printed; undefined where it did not run, or did not fail.
 *
 * @param output both streams as they came, perhaps of several attempts: the last one counts
 */
export function kubeadmFailure(output: string, sight: KubeadmSight): EventFailure | undefined {
  const { seen, meant, exitStatus } = sight;
  const verb = seen ?? meant;
  const verdict = diagnoseLog(readLines('log', output), { verb, end: { exitStatus: exitStatus ?? 1 } });
  const found = verdict.failure ?? (verdict.result === 'nothing' ? unseen(output, sight) : undefined);
  if (found === undefined) return undefined;
  const failure = toEventFailure(found);
  return exitStatus === undefined ? failure : { ...failure, exitStatus };
}

/** The reporter saw kubeadm run, but has nothing that it printed. */
function unseen(stdout: string, { seen, exitStatus }: KubeadmSight): KubeadmFailure | undefined {
  if (!seen) return undefined;
  const { exitStatus: _, ...failure } = classify({
    verb: seen,
    stdout,
    stderr: '',
    exitStatus: exitStatus ?? 1,
  });
  return failure;
}
