import { setTimeout as sleep } from 'node:timers/promises';
import { Rates } from '../../../kit/rates.ts';
import type { KeyStorage } from '../../keys/key-storage.ts';
import { followKeys } from '../../keys/key-watch.ts';
import { tokenKeySecret, webhookSecret } from '../../keys/secret-storage.ts';
import { TokenKeys } from '../../keys/token-keys.ts';
import { WebhookKeys } from '../../keys/webhook-keys.ts';
import { KubeClient } from '../../kube/client.ts';
import { undefinedOnStatus } from '../../kube/kube-error.ts';
import { findAccess } from '../../kube/kubeconfig.ts';
import type { Log } from '../../log.ts';
import { clustersPath, findMachineVersion } from '../../machines/machine.ts';
import { WebhookMetrics } from '../../web/webhook-metrics.ts';
import { BootstrapData } from '../../webhook/bootstrap-data.ts';
import { findOwner } from '../../webhook/find-owner.ts';
import { type Miss, WebhookServer } from '../../webhook/webhook-server.ts';
import { AdminServers } from '../admin.ts';
import type { WebhookSettings } from '../settings.ts';

const LOOK_MS = 2_000;
/** Answers under way at the end; the API server waits ten seconds by default. */
const DRAIN_MS = 5_000;

/**
 * Serves the admission webhook for bootstrap data. Replicas know nothing of one another: each answer rests on the Machine or
 * MachinePool as the API server has it, and on the key of Machines' tokens.
 *
 * @returns its port, and what ends it
 */
export async function serveWebhook(
  settings: WebhookSettings,
  log: Log,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const metrics = new WebhookMetrics();
  let why: string | undefined = 'its certificate and the key of tokens are not there yet';
  const admin = new AdminServers(metrics, () => why);
  await admin.serveProbes(settings.probeListen);
  await admin.serveMetrics(settings.adminListen);
  const access = findAccess(settings.kubeconfig === undefined ? {} : { path: settings.kubeconfig });
  const client = new KubeClient(access);
  const namespace = settings.namespace ?? access.namespace;
  const version = await findMachineVersion(client);
  const [webhookPlace, tokenPlace] = [webhookSecret(client, namespace), tokenKeySecret(client, namespace)];
  const tokenKeys = new TokenKeys(await present(tokenPlace, log));
  const keys = new WebhookKeys(await present(webhookPlace, log), ({ certificate, key }) => {
    server.renew({ cert: certificate, key });
    log.info('shows a new certificate');
  });
  const bootstrapData = new BootstrapData({
    ...{ endpoints: settings.endpoints, writers: settings.writers, kinds: settings.kinds, log },
    authorities: () => keys.current.authorities,
    tokenKeys: () => tokenKeys.all,
    find: (inNamespace, secret) => findOwner(client, version, inNamespace, secret),
    isPaused: async (inNamespace, cluster) => {
      const path = `${clustersPath(version, inNamespace)}/${cluster}`;
      const found = await undefinedOnStatus(
        client.request<{ spec?: { paused?: boolean } }>('GET', path),
        404,
      );
      return found?.spec?.paused === true;
    },
    reviewed: (result) => metrics.reviews.add({ result }),
  });
  const { certificate, key } = keys.current;
  const server: WebhookServer = new WebhookServer(
    { cert: certificate, key },
    () => keys.current.pathSecret,
    (request, mode) => bootstrapData.review(request, mode),
    (miss) => tellMiss(miss, metrics, log),
  );
  const leave = [followKeys(keys, webhookPlace, log), followKeys(tokenKeys, tokenPlace, log)];
  const port = await server.listen(settings.listen.port, settings.listen.host);
  why = undefined;
  return {
    port,
    stop: async () => {
      why = 'it ends';
      for (const end of leave) end();
      await server.close(DRAIN_MS);
      admin.close();
      client.close();
    },
  };
}

/** Anybody who reaches the port can cause these: each is counted, and one of a kind told in a while. */
const tellable = new Rates({ perSecond: 1 / 600, burst: 1 });

function tellMiss(miss: Miss, metrics: WebhookMetrics, log: Log): void {
  metrics.reviews.add({ result: miss });
  if (miss === 'unanswered' || tellable.take(miss) > 0) return;
  log.warn('a call was refused; if it was the API server, machines do not report', {
    reason: miss,
    remedy: 'slipway-controller webhook configuration | kubectl apply -f -',
  });
}

/** What the controller makes; it may start later. @throws KubeError */
async function present<T>(place: KeyStorage<T>, log: Log): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    const found = await place.read();
    if (found) return found;
    if (!isTold) log.info('waits for what the controller makes', { secret: place.name });
    await sleep(LOOK_MS);
  }
}
