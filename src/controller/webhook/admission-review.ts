import { at, textAt } from '../../kit/json.ts';
import type { KubeObject } from '../kube/objects.ts';

/** The parts of an AdmissionReview's request (admission.k8s.io/v1) that are looked at. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  readonly namespace: string;
  readonly user: string;
  readonly isDryRun: boolean;
  readonly object: SecretObject;
  /** What was there before an update. */
  readonly oldObject: SecretObject | undefined;
}

/** The parts of a Secret that are looked at; the values of `data` are base64. */
export interface SecretObject extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface JsonPatch {
  readonly op: 'replace';
  readonly path: string;
  readonly value: string;
}

/** @returns undefined where it is no review of a Secret that is created or updated */
export function readReview(body: unknown): AdmissionRequest | undefined {
  const uid = textAt(body, 'request', 'uid');
  const object = secretAt(body, 'object');
  if (at(body, 'apiVersion') !== 'admission.k8s.io/v1' || uid === undefined || object === undefined)
    return undefined;
  return {
    uid,
    object,
    oldObject: secretAt(body, 'oldObject'),
    operation: textAt(body, 'request', 'operation') ?? '',
    namespace: textAt(body, 'request', 'namespace') ?? '',
    user: textAt(body, 'request', 'userInfo', 'username') ?? '',
    isDryRun: at(body, 'request', 'dryRun') === true,
  };
}

function secretAt(body: unknown, key: 'object' | 'oldObject'): SecretObject | undefined {
  const object = at(body, 'request', key);
  if (textAt(object, 'metadata', 'name') === undefined || at(object, 'kind') !== 'Secret') return undefined;
  return object as SecretObject;
}

/** The answer, which always allows the request. Warnings are shown to whoever made it. */
export function reviewAnswer(
  uid: string,
  patch: readonly JsonPatch[] = [],
  warnings: readonly string[] = [],
): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: true,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(patch.length > 0
        ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : {}),
    },
  };
}
