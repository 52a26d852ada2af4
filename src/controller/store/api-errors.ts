import { isStatus, KubeError } from '../kube/kube-error.ts';
import { StoreBusy, StoreRefused } from './store.ts';

/** Nobody gives rights within less. */
const FORBIDDEN_MS = 60_000;

/** What to do where the ServiceAccount may not write. */
export function rightsRemedy(namespace: string): string {
  return `to serve the Machines there: kubectl apply --namespace ${namespace} --filename manifests/namespace/rights.yaml`;
}

/**
 * Another writer came first, or the object is gone. 422 means that a test in the JSON patch failed, or that
 * the object breaks its schema; the latter is our fault, and another attempt would not help.
 */
export function isConflict(error: unknown): boolean {
  if (isStatus(error, 409) || isStatus(error, 404)) return true;
  return isStatus(error, 422) && !/ is invalid: /.test(error.message);
}

/** What the API server, or etcd behind it, refuses whenever it is asked. */
export function refusal(error: unknown): StoreRefused | undefined {
  if (!(error instanceof KubeError)) return undefined;
  const { status, message } = error;
  // etcd's word and that of its client: the API server passes both on as faults of its own.
  if (status === 413 || /request is too large|message larger than max/.test(message))
    return new StoreRefused('size', message, { cause: error });
  if (status !== 400 && status !== 422) return undefined;
  return new StoreRefused('content', message, { cause: error });
}

/** Turns what the API server cannot do now into StoreBusy; other errors stay as they are. */
export function toStoreBusy(error: unknown): unknown {
  const namespace = isStatus(error, 403) ? /namespace "([^"]+)"/.exec(error.message)?.[1] : undefined;
  if (namespace !== undefined && error instanceof KubeError)
    return new StoreBusy(`${error.message}; ${rightsRemedy(namespace)}`, FORBIDDEN_MS, { cause: error });
  if (!(error instanceof KubeError) || !error.passing) return error;
  return new StoreBusy(error.message, error.retryAfterMs, { cause: error });
}
