import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ExpectedError } from '../../kit/errors.ts';
import { CertificateChecker } from '../attest/certificate-checker.ts';
import { Enrolment } from '../attest/enrolment.ts';
import { MachineTokenAttestor } from '../attest/machine-token.ts';
import { TokenAttestor } from '../attest/token.ts';
import { TpmAttestor } from '../attest/tpm.ts';
import { TpmChallenges } from '../attest/tpm-challenges.ts';
import { WatchedTokens } from '../attest/watched-tokens.ts';
import { FreshProofs } from '../fresh-proofs/fresh-proofs.ts';
import { KubeletKeys } from '../fresh-proofs/kubelet-keys.ts';
import { EventIntake } from '../ingest/intake.ts';
import { Keys, makeMaterial } from '../keys/key-ring.ts';
import { makeOnce } from '../keys/key-storage.ts';
import { followKeys } from '../keys/key-watch.ts';
import { authoritySecret, tokenKeySecret, webhookSecret } from '../keys/secret-storage.ts';
import { makeTokenMaterial, TokenKeys } from '../keys/token-keys.ts';
import { WebhookKeeper } from '../keys/webhook-keeper.ts';
import { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { findAccess } from '../kube/kubeconfig.ts';
import { Leadership } from '../kube/lease.ts';
import type { Log } from '../log.ts';
import { findMachineVersion, type MachineVersion } from '../machines/machine.ts';
import { PoolTokenAttestor } from '../pools/pool-token.ts';
import { RenewalList } from '../renewal/renewal-list.ts';
import { TokenRenewer } from '../renewal/token-renewer.ts';
import { SealedParts } from '../secret-release/sealed-parts.ts';
import { SecretReleaser } from '../secret-release/secret-releaser.ts';
import { withBudget } from '../store/budgeted-store.ts';
import { writeKubeletKey } from '../store/kubelet-key.ts';
import { KubernetesStore } from '../store/kubernetes-store.ts';
import { MachineIdentities } from '../store/machine-identities.ts';
import { WriteBudget } from '../store/write-budget.ts';
import { Metrics } from '../web/metrics.ts';
import { Gauge } from '../web/registry.ts';
import { createJudge, readmit, retie } from './create-judge.ts';
import { FrontServers } from './front-servers.ts';
import { Management } from './management.ts';
import { warnOfMissingPolicies } from './missing-policies.ts';
import { readNodeBootstrapSchema } from './node-bootstrap-schema.ts';
import type { Running } from './running.ts';
import type { KubernetesSettings } from './settings.ts';
import { withoutLateProofs } from './without-late-proofs.ts';

/**
 * Serves in a management cluster: nodes are NodeBootstraps, verdicts are conditions on Machines, replicas
 * share the work.
 */
export async function serveKubernetes(settings: KubernetesSettings, log: Log): Promise<Running> {
  const access = findAccess(settings.kubeconfig === undefined ? {} : { path: settings.kubeconfig });
  const client = new KubeClient(access);
  const namespace = settings.namespace ?? access.namespace;
  const version = await machineVersion(client);
  const schema = await readNodeBootstrapSchema(client, log);
  const [keyPlace, tokenPlace] = [authoritySecret(client, namespace), tokenKeySecret(client, namespace)];
  const material = await makeOnce(keyPlace, makeMaterial);
  const keys = new Keys(material);
  // An earlier controller kept both in one Secret: the tokens that it made count on.
  const tokenKeys = new TokenKeys(await makeOnce(tokenPlace, () => material.tokens ?? makeTokenMaterial()));
  const metrics = new Metrics();
  const management = new Management({
    ...{ client, version, metrics, log, untiedMs: settings.untiedMs, keepsVerdicts: schema.hasVerdicts },
    tokenKeys: () => tokenKeys.all,
    changed: (record) => intake.changed(record),
    gone: (key) => intake.forget(key),
    hangUp: (keyDigest) => front.hangUp(keyDigest),
  });
  const budget = new WriteBudget(true);
  const store = withBudget(new KubernetesStore(client), budget);
  const tokens = new WatchedTokens(client, namespace, management.troubleOf('tokens'));
  const nodeOfKey = (keyDigest: string) => management.keys.of(keyDigest);
  const bearers = new CertificateChecker({
    store,
    nodeOfKey,
    isGone: (spec) => management.directory.isGone(spec),
    isUnsettled: (record) => management.isUnsettled(record),
    copied: (record) => management.alarms.copied(record),
  });
  // This replica acts on what it has stored without waiting for the watch.
  const intake = new EventIntake(
    store,
    bearers,
    metrics,
    (record) => management.recordStored(record),
    settings.keepsIdentifiers,
  );
  const identities = new MachineIdentities(client);
  const challenges = new TpmChallenges((id, machine) => management.directory.byTpm(id, machine));
  const judge = createJudge({ client, namespace, management, store, identities, budget });
  const machineTokens = new MachineTokenAttestor(() => tokenKeys.all, management.directory);
  const tpm = new TpmAttestor(challenges, management.directory);
  const enrolment = new Enrolment({
    store,
    bearers,
    proofs: identities,
    judge,
    readmit: (record) => readmit(client, management, record),
    retie: (...of) => retie(client, management, ...of),
    nodeOfKey,
    created: (record) => management.recordStored(record),
    replaced: (before, after) => management.alarms.replaced(before, after),
    refused: (...of) => management.unreported.refused(...of),
    authority: () => keys.authority,
    trusted: () => keys.trusted,
    challenges,
    attestors: [
      tpm,
      schema.hasLateTokens ? machineTokens : withoutLateProofs(machineTokens),
      new PoolTokenAttestor(
        () => tokenKeys.all,
        management.pools.directory,
        (pool) => management.pools.full(pool),
      ),
      new TokenAttestor(tokens),
    ],
    ties: management.directory,
    certificateMs: settings.certificateMs,
  });
  const sealed = new SealedParts(client, namespace);
  const fresh = new FreshProofs({
    ...{ bearers, ties: management.directory, judge, tpm },
    retie: (...of) => retie(client, management, ...of),
  });
  const releases = new SecretReleaser({ proofs: fresh, sealed });
  const kubeletKeys = new KubeletKeys({
    ...{ proofs: fresh, store },
    write: (node, key) => writeKubeletKey(client, budget, node, key),
  });
  const webhookKeeper = new WebhookKeeper(webhookSecret(client, namespace), keys, namespace, log);
  const renewer = new TokenRenewer({
    ...{ tokens, log, keys: () => tokenKeys.all },
    list: new RenewalList(client, namespace),
  });
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const leadership = new Leadership(client, { namespace, name: 'slipway-controller', identity }, (leads) => {
    log.info(leads ? 'leads: writes conditions' : 'no longer leads', { identity });
    management.lead(leads);
    webhookKeeper.lead(leads);
    renewer.lead(leads);
  });
  metrics.add(
    new Gauge('slipway_leader', '1 where this replica writes conditions.', () => [
      { value: Number(leadership.leads) },
    ]),
  );
  metrics.add(
    new Gauge(
      'slipway_api_writes_total',
      'Writing requests to the API server.',
      () => [{ value: client.writes }],
      'counter',
    ),
  );
  const front = new FrontServers(settings, {
    keys,
    bearers,
    watched: (key) => management.watched(key),
    intake,
    enrolment,
    releases,
    kubeletKeys,
    metrics,
    log,
    ready: () => management.notReady,
  });
  const ports = await front.listenAdmin();
  await Promise.all([management.start(), tokens.start()]);
  const port = await front.listen();
  leadership.start();
  await warnOfMissingPolicies(client, log);
  const leave = [followKeys(keys, keyPlace, log), followKeys(tokenKeys, tokenPlace, log)];
  return {
    port,
    ...ports,
    stop: async () => {
      for (const end of leave) end();
      webhookKeeper.lead(false);
      await front.drain();
      await Promise.all([management.stop(), tokens.stop(), renewer.stop()]);
      await leadership.stop();
      await store.close();
    },
  };
}

async function machineVersion(client: KubeClient): Promise<MachineVersion> {
  try {
    return await findMachineVersion(client);
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    throw new ExpectedError(
      'this cluster has no Cluster API (no cluster.x-k8s.io); install it first, or use serve --standalone',
      {
        cause: error,
      },
    );
  }
}
