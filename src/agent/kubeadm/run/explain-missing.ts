import { redact } from '../../../kit/secrets/redact.ts';
import { CODES, type Code } from '../../../protocol/codes/codes.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { explainKubeletEnd, explainKubeletRun } from '../../diagnosis/causes/explain-kubelet.ts';
import { NO_EVIDENCE } from '../../diagnosis/evidence/evidence.ts';
import { gatherEvidence } from '../../diagnosis/evidence/gather.ts';
import type { Host } from '../../host/host.ts';

/** The API server answers, so what the kubelet said of the way to it is over. */
const REASONS: readonly Code[] = [
  'PermissionDenied',
  'NodeNameInvalid',
  'NodeNotRegistered',
  'ApiServerUnavailable',
];

/** kubeadm has ended well, and the kubelet or its Node has not come: as the kubelet tells why, where it does. */
export async function explainMissing(host: Host, failure: Failure): Promise<Failure> {
  const known = { ...NO_EVIDENCE, ...(await gatherEvidence(host, { parts: ['kubelet'] })) };
  const complaint = explainKubeletRun('NodeNotRegistered', known);
  const isReason = complaint !== undefined && REASONS.includes(complaint.code);
  const missing = isReason ? complaint : undefined;
  const found = failure.code === 'KubeletUnhealthy' ? explainKubeletEnd(known) : missing;
  if (found === undefined) return failure;
  const row = CODES[found.code];
  return {
    ...failure,
    code: found.code,
    cause: redact(found.cause ?? row.cause),
    remedy: found.remedy ?? row.remedy,
    lines: [redact(found.evidence)],
  };
}
