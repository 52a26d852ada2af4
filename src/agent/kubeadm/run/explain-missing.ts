import { redact } from '../../../kit/secrets/redact.ts';
import { CODES, type Code } from '../../../protocol/codes/codes.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { explainKubeletRun } from '../../diagnosis/causes/explain-kubelet.ts';
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

/** kubeadm has ended well and the Node is not in the cluster: as the kubelet tells why, where it does. */
export async function explainUnregistered(host: Host, failure: Failure): Promise<Failure> {
  const evidence = await gatherEvidence(host, { parts: ['kubelet'] });
  const found = explainKubeletRun('NodeNotRegistered', { ...NO_EVIDENCE, ...evidence });
  if (found === undefined || !REASONS.includes(found.code)) return failure;
  const row = CODES[found.code];
  return {
    ...failure,
    code: found.code,
    cause: redact(found.cause ?? row.cause),
    remedy: found.remedy ?? row.remedy,
    lines: [redact(found.evidence)],
  };
}
