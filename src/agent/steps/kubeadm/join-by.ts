import type { KubeadmCommand } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { KubeadmConfig } from '../../kubeadm/config/config.ts';
import { goesThroughProxy } from '../../kubeadm/config/proxy.ts';
import { awaitCluster, type ClusterFound } from '../../kubeadm/run/await-cluster.ts';
import {
  capSeconds,
  DISCOVERY_SECONDS,
  GRACE_SECONDS,
  LAST_WORD_SECONDS,
} from '../../kubeadm/run/timeouts.ts';
import { callVariables } from './call-environment.ts';

/**
 * The API server by which this attempt joins; waits for it where it can be seen from here. Undefined where
 * there is none to choose or to see, as with discovery by a file.
 *
 * @param shell Directory of the shell's state: kubeadm gets what the shell has exported.
 * @param waitedSeconds How long attempts before have waited for what was still lacking at their end.
 */
export async function joinBy(
  command: KubeadmCommand,
  config: Partial<KubeadmConfig>,
  context: StepContext,
  shell: string,
  waitedSeconds = 0,
): Promise<ClusterFound | undefined> {
  const { verb, endpoints = [] } = command;
  const { apiServer, tokenId } = config;
  const asked = endpoints.length > 0 ? endpoints : [...(apiServer === undefined ? [] : [apiServer])];
  const sees =
    verb === 'join' && context.host.root === '/' && !(await someByProxy(asked, command, context, shell));
  return awaitCluster(context.host, {
    endpoints: asked,
    tokenId,
    attempt: context.attempt,
    limitMs: sees ? 1000 * patience(config, context, waitedSeconds) : 0,
    signal: context.signal,
    onProgress: (message) => void context.progress(message),
  });
}

/** Seconds: as long as kubeadm's discovery would take, and no longer than what is lacking has grace. */
function patience(
  { discoveryTimeoutSeconds }: Partial<KubeadmConfig>,
  context: StepContext,
  waitedSeconds: number,
): number {
  return Math.min(
    DISCOVERY_SECONDS,
    Math.max(LAST_WORD_SECONDS, GRACE_SECONDS - waitedSeconds),
    discoveryTimeoutSeconds ?? DISCOVERY_SECONDS,
    capSeconds(context.remainingMs()) ?? DISCOVERY_SECONDS,
  );
}

async function someByProxy(
  endpoints: readonly string[],
  command: KubeadmCommand,
  { host }: StepContext,
  shell: string,
): Promise<boolean> {
  const names = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'];
  const variable = await callVariables(host, command, shell, names);
  return endpoints.some((endpoint) => goesThroughProxy(endpoint, variable));
}
