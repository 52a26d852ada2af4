/** What kubeadm logs of an attempt that it makes again is the reason of an error that only says that it took too long. */
import { isRetried, RETRIED, type Spoken, wentOn } from './attempts/went-on.ts';
import { HINT, KLOG } from './transcript/sentences.ts';
import { classify, type KubeadmEnd, type KubeadmFailure } from './words/classify.ts';

interface Said {
  verb: KubeadmEnd['verb'];
  output: readonly Spoken[];
  error: readonly Spoken[];
}

/** They say that nobody knows. */
const VAGUE = new Set(['Unclassified', 'KubeadmTimedOut', 'KubeletCertificateNotIssued']);
export const isVague = ({ code }: KubeadmFailure): boolean => VAGUE.has(code);

/** What it says of that which it has tried again and again, and has not got beyond. */
export function retriedCause({ verb, output, error }: Said): KubeadmFailure | undefined {
  // The last may be cut off within its reason.
  const retried = wentOn(output, error) ? [] : [...output, ...error].filter(isRetried).slice(-2);
  const stdout = output.map(({ text }) => text).join('\n');
  for (const { text } of retried.reverse()) {
    const words = RETRIED.exec(text)?.[0] ?? '';
    const stderr = `error execution phase ${phaseOf(words)}: ${words.replaceAll('\\"', '"')}`;
    const found = classify({ verb, stdout, stderr, exitStatus: 'unknown' });
    if (!isVague(found)) return found;
  }
  return undefined;
}

/** The last line of an error that is cut off in front of its reason, or only says that it took too long. */
const NO_REASON =
  /error execution phase (?:preflight|discovery|etcd-join|control-plane-join\/etcd)(?::? *|: (?:[Cc]ouldn't|could not) validate the identity of the API Server(?:: *(?:failed to request the cluster-info ConfigMap: *)?(?:(?:Get "[^"]{1,400}": *)?(?:client rate limiter Wait returned an error: *)?(?:rate: Wait\(n=\d+\) would exceed )?(?:timed out waiting for the condition|context deadline(?: exceeded)?))?)?)$/;

/** Its reason is that which kubeadm has logged before each new try. */
export function withRetried(failure: KubeadmFailure, { verb, stdout, stderr }: KubeadmEnd): KubeadmFailure {
  const error = spoken(stderr);
  const own = error.filter(({ text }) => text.trim() !== '' && !HINT.test(text) && !KLOG.test(text));
  if (!NO_REASON.test(own.at(-1)?.text.trim() ?? '')) return failure;
  const found = retriedCause({ verb, output: spoken(stdout), error });
  if (found === undefined) return failure;
  const { phase, lines, exitStatus } = failure;
  const { exitStatus: _, ...reason } = found;
  return {
    ...reason,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(phase === undefined ? {} : { phase }),
    ...(lines === undefined ? {} : { lines }),
  };
}

const spoken = (text: string): Spoken[] => text.split('\n').map((line) => ({ text: line }));

/** Etcd's client speaks where this machine becomes a member; all else is said while the cluster is looked for. */
const phaseOf = (words: string): string =>
  /etcd|learner/.test(words) ? 'control-plane-join/etcd' : 'preflight';
