import { readApiServer } from '../../diagnosis/evidence/api-server.ts';
import type { Host } from '../../host/host.ts';

const LOOK_MS = 1_500;

/**
 * Chooses the API server that this attempt asks: each attempt begins with another one and takes the first
 * that answers, so a dead one costs a second and not an attempt. Undefined when there is nothing to choose.
 *
 * @param attempt From 1.
 */
export async function chooseEndpoint(
  host: Host,
  endpoints: readonly string[],
  attempt: number,
): Promise<string | undefined> {
  if (endpoints.length < 2) return endpoints[0];
  const first = (attempt - 1) % endpoints.length;
  const inTurn = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  const looks = await Promise.all(inTurn.map((endpoint) => readApiServer(host, endpoint, LOOK_MS)));
  const answers = looks.find(({ status }) => status !== undefined && status < 500) ?? looks[0];
  return answers?.endpoint;
}
