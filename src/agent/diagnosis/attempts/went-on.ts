/** What kubeadm tries again and again, and the lines by which it is seen to have gone on all the same. */
import type { LogLine } from '../transcript/line.ts';
import { ETCD_JSON, KLOG, PROGRESS } from '../transcript/sentences.ts';

export type Spoken = Pick<LogLine, 'text'> & Partial<Pick<LogLine, 'file' | 'number'>>;

/** What it logs of an attempt that it makes again; its words are those of the error that would come. */
export const RETRIED =
  /(?:Retrying due to error: |[Ff]ailed to (?:request|connect|get etcd status for \S{1,400}: )|will try again: |does not yet contain a JWS signature for |romoting the learner \S{1,40} failed: ).*|"error":"(?:[^"\\]|\\.){0,400}"/;
/** It has found the cluster, or become a member of etcd. */
const FOUND =
  /^\[(?:discovery\] Successfully|preflight\] Reading configuration from|(?!preflight|discovery|init)[a-z])/;
const FOUND_LOGGED =
  /\] \[(?:discovery\] (?:Successfully|Cluster info signature|Using provided TLSBootstrapToken)|kubelet-start\] )/;
const ETCD_STATUS = /Failed to get etcd status for /;
const MEMBER = /^\[mark-control-plane\] /;
const MEMBER_LOGGED = /\] \[etcd\] The learner was promoted/;

export const isRetried = ({ text }: Spoken): boolean =>
  (KLOG.test(text) || ETCD_JSON.test(text) || /^\[discovery\] /.test(text)) && RETRIED.test(text);

/** Did it go on behind what it tried again last? With `--v` its steps stand among what it logs. */
export function wentOn(output: readonly Spoken[], error: readonly Spoken[]): boolean {
  const last = error.findLastIndex(isRetried);
  const retried = error[last] ?? output.findLast(isRetried);
  if (retried === undefined) return false;
  // It asks for that twice in a join, and so only a step behind it tells.
  if (ETCD_STATUS.test(retried.text))
    return output.some((line) => PROGRESS.test(line.text) && isBehind(line, retried));
  const [over, logged] = /\[discovery\] /.test(retried.text)
    ? [FOUND, FOUND_LOGGED]
    : [MEMBER, MEMBER_LOGGED];
  return (
    output.some(({ text }) => PROGRESS.test(text) && over.test(text)) ||
    error.slice(last + 1).some(({ text }) => KLOG.test(text) && logged.test(text))
  );
}

/** Streams that were kept apart do not tell. */
const isBehind = (line: Spoken, other: Spoken): boolean =>
  line.file !== undefined && line.file === other.file && (line.number ?? 0) > (other.number ?? 0);
