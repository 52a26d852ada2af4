import { join } from 'node:path';
import { CertificateChecker } from '../attest/certificate-checker.ts';
import { Enrolment } from '../attest/enrolment.ts';
import { SqliteTokens } from '../attest/sqlite-tokens.ts';
import { TokenAttestor } from '../attest/token.ts';
import { EventIntake } from '../ingest/intake.ts';
import { Keys, makeMaterial } from '../keys/key-ring.ts';
import { makeOnce } from '../keys/key-storage.ts';
import { followKeys } from '../keys/key-watch.ts';
import { SqliteKeyStorage } from '../keys/keys.ts';
import type { Log } from '../log.ts';
import { withBudget } from '../store/budgeted-store.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { Metrics } from '../web/metrics.ts';
import { FrontServers } from './front-servers.ts';
import type { Running } from './running.ts';
import type { StandaloneSettings } from './settings.ts';

export function databasePath(data: string): string {
  return join(data, 'slipway.db');
}

/** Serves without a cluster: everything lies in one file. */
export async function serveStandalone(settings: StandaloneSettings, log: Log): Promise<Running> {
  const database = new SqliteStore(databasePath(settings.data));
  const store = withBudget(database);
  const keyPlace = new SqliteKeyStorage(database);
  const keys = new Keys(await makeOnce(keyPlace, makeMaterial));
  const metrics = new Metrics();
  const nodeOfKey = (keyDigest: string) => database.nodeOfKey(keyDigest);
  const bearers = new CertificateChecker({ store, nodeOfKey, copied: () => metrics.copied.add() });
  const intake = new EventIntake(store, bearers, metrics, undefined, settings.keepsIdentifiers);
  const enrolment = new Enrolment({
    store,
    bearers,
    nodeOfKey,
    replaced: () => metrics.replaced.add(),
    authority: () => keys.authority,
    trusted: () => keys.trusted,
    attestors: [new TokenAttestor(new SqliteTokens(database))],
    certificateMs: settings.certificateMs,
  });
  const front = new FrontServers(settings, {
    ...{ keys, bearers, intake, enrolment, metrics, log },
    ready: () => undefined,
  });
  const ports = await front.listenAdmin();
  const port = await front.listen();
  const leaveKeys = followKeys(keys, keyPlace, log);
  return {
    port,
    ...ports,
    stop: async () => {
      leaveKeys();
      await front.drain();
      await store.close();
    },
  };
}
