import type { Machine } from '../machines/machine.ts';

/** A machine reports in the first seconds of its boot; firmware, installers and clouds take minutes before that. */
const AFTER_START_MS = 10 * 60_000;
/** Where there is a Node, everything else has happened. */
const AFTER_NODE_MS = 2 * 60_000;

/** What is known of a Machine beside the object. */
interface Circumstances {
  /** Its namespace asks for `managed` bootstrap data. */
  readonly isManagedNamespace: boolean;
  /** Milliseconds since its Node was first seen, by a clock that nobody sets; undefined if it was there when this process began. */
  readonly nodeForMs: number | undefined;
}

/**
 * Milliseconds until a Machine that has not reported counts as one that never did; undefined where nobody expects it to report. A readiness
 * gate, a label, or its namespace says that it does. Machines of a namespace that are older than its label have no token and are nobody's
 * concern, so of those that have a Node only the ones count whose Node this process has seen coming.
 */
export function reportDueMs(
  machine: Machine,
  { isManagedNamespace, nodeForMs }: Circumstances,
  now = Date.now(),
): number | undefined {
  const { isGated, wantsToken, bootstrapData, nodeName, startedAt } = machine;
  const isManaged = bootstrapData === undefined ? isManagedNamespace : bootstrapData === 'managed';
  const isTold = isGated || wantsToken || bootstrapData === 'managed';
  if (!isTold && !isManaged) return undefined;
  if (nodeName !== undefined)
    return nodeForMs === undefined ? (isTold ? 0 : undefined) : Math.max(0, AFTER_NODE_MS - nodeForMs);
  return startedAt === undefined ? undefined : Math.max(0, startedAt + AFTER_START_MS - now);
}

/** The condition's message. It says the same as long as the Machine does, so that it is written once. */
export function neverReported({ nodeName, startedAt }: Machine): string {
  if (nodeName !== undefined)
    return `Node ${nodeName} exists, and its machine has never reported its bootstrap. Run slipway report --test on the machine: it tries the controller's name, route, certificate and token, and says what is wrong.`;
  const since = new Date(startedAt ?? 0).toISOString().replace(/\.\d+/, '');
  return `The machine has not reported since its infrastructure was ready at ${since}. It may not have booted, its image may lack Slipway (slipway install --report), or it may not reach the controller. Look at its console; where you can log in, slipway report --test says what is wrong.`;
}
