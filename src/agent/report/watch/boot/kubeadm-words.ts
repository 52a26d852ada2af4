import type { EventFailure } from '../../../../protocol/events.ts';
import { classify } from '../../../diagnosis/words/classify.ts';
import { asEventFailure } from '../../events/from-journal.ts';
import type { KubeadmProcess } from './kubeadm-process.ts';

/** Where an attempt of kubeadm begins in what it printed. */
const BEGINS = /^.*\[(?:init\] Using Kubernetes version|preflight\] Running pre-flight checks).*$/gm;
/** One that fails before that (its configuration) ends with this hint. */
const HINT = /^To see the stack trace of this error execute with --v=5 or higher/m;

/** What is known of an attempt besides its output. */
export interface KubeadmSight {
  /** What a kubeadm that was seen running did. */
  seen?: KubeadmProcess['verb'] | undefined;
  /** What it is to do. */
  meant?: KubeadmProcess['verb'] | undefined;
  /** Undefined where nobody knows it. */
  exitStatus?: number | undefined;
}

/**
 * Why kubeadm failed, out of what it and others printed; undefined where it did not run.
 *
 * @param output both streams as they came, perhaps of several attempts: the last one counts
 */
export function kubeadmFailure(output: string, sight: KubeadmSight): EventFailure | undefined {
  const { seen, meant, exitStatus } = sight;
  const begin = [...output.matchAll(BEGINS)].at(-1);
  if (!begin && !seen && !HINT.test(output)) return undefined;
  const words = output.slice(begin?.index ?? 0);
  // Ended by a signal it had no time for an error: what it printed is then only how far it came.
  const isSignalled = exitStatus !== undefined && exitStatus > 128;
  const found = classify({
    verb: seen ?? (begin?.[0].includes('[init]') ? 'init' : (meant ?? 'join')),
    stdout: isSignalled ? words : '',
    stderr: isSignalled ? '' : words,
    exitStatus: exitStatus ?? 1,
  });
  const failure = asEventFailure({ ...found, lines: found.lines?.slice(-3) ?? [] });
  if (exitStatus === undefined) delete failure.exitStatus;
  return failure;
}
