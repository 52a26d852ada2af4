import type { CertificateChecker } from '../attest/certificate-checker.ts';
import type { Enrolment } from '../attest/enrolment.ts';
import type { KubeletKeys } from '../fresh-proofs/kubelet-keys.ts';
import { CheckIns } from '../ingest/check-ins.ts';
import type { EventIntake } from '../ingest/intake.ts';
import { IngestServer } from '../ingest/server.ts';
import type { Keys } from '../keys/key-ring.ts';
import { type Log, reason } from '../log.ts';
import type { WatchedNode } from '../model/node-record.ts';
import type { SecretReleaser } from '../secret-release/secret-releaser.ts';
import type { Metrics } from '../web/metrics.ts';
import { Gauge } from '../web/registry.ts';
import { AdminServers } from './admin.ts';
import { freeMemory, memoryGauges } from './free-memory.ts';
import type { Running } from './running.ts';
import { ServerCertificate } from './server-certificate.ts';
import type { ServeSettings } from './settings.ts';

/** Time for current requests when the process has to end; a cluster waits 30 s. */
const DRAIN_MS = 10_000;

interface FrontParts {
  readonly keys: Keys;
  readonly intake: EventIntake;
  readonly enrolment: Enrolment;
  readonly bearers: CertificateChecker;
  /** The node as a watch knows it; absent where there is none. */
  readonly watched?: (key: string) => WatchedNode | undefined;
  readonly releases?: SecretReleaser;
  readonly kubeletKeys?: KubeletKeys;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Why it cannot serve yet; undefined if it can. */
  readonly ready: () => string | undefined;
}

/** The servers for machines and probes, whatever the store is. */
export class FrontServers {
  readonly #ingest: IngestServer;
  readonly #admin: AdminServers;
  readonly #certificate: ServerCertificate;
  readonly #settings: ServeSettings;
  readonly #log: Log;
  #leaveMemory: () => void = () => undefined;
  #draining = false;

  constructor(
    settings: ServeSettings,
    { keys, bearers, watched, intake, enrolment, releases, kubeletKeys, metrics, log, ready }: FrontParts,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#certificate = new ServerCertificate(settings, keys, log);
    const checkIns = new CheckIns({
      bearers,
      ...(watched ? { watched } : {}),
      everySeconds: settings.checkInSeconds,
    });
    this.#ingest = new IngestServer(
      { intake, enrolment, checkIns, releases, kubeletKeys, metrics, log },
      {
        tls: this.#certificate.current,
        connections: {
          perAddress: settings.connectionsPerAddress,
          total: settings.connectionsTotal,
          // For each request as a stranger, a machine connects a few times.
          newPerSecond: settings.strangersPerSecond * 4,
        },
        machineRate: { perSecond: 20, burst: 40 },
        strangerRate: { perSecond: settings.strangersPerSecond, burst: settings.strangersPerSecond * 4 },
      },
    );
    metrics.add(
      new Gauge('slipway_connections', 'Open connections of machines.', () => [
        { value: this.#ingest.connections.total },
      ]),
    );
    metrics.add(
      new Gauge('slipway_nodes_at_hand', 'Records of nodes in memory.', () => [{ value: intake.atHand }]),
    );
    for (const gauge of memoryGauges()) metrics.add(gauge);
    this.#admin = new AdminServers(metrics, () => (this.#draining ? 'draining' : ready()));
  }

  /** Probes and Prometheus can ask from now on. @returns the ports */
  async listenAdmin(): Promise<Pick<Running, 'adminPort' | 'probePort'>> {
    const { adminListen, probeListen } = this.#settings;
    const probePort = await this.#admin.serveProbes(probeListen);
    return { probePort, adminPort: await this.#admin.serveMetrics(adminListen) };
  }

  /** Machines can report from now on. @returns the port */
  async listen(): Promise<number> {
    this.#certificate.watch((files) => this.#ingest.renew(files));
    this.#leaveMemory = freeMemory(() => this.#ingest.connections.closed);
    const { port, host } = this.#settings.listen;
    return await this.#ingest.listen(port, host);
  }

  /** Closes the connections of the machine with this key. */
  hangUp(keyDigest: string): void {
    this.#ingest.peers.hangUp(keyDigest);
  }

  async drain(): Promise<void> {
    this.#draining = true;
    this.#certificate.stop();
    this.#leaveMemory();
    try {
      await this.#ingest.drain(DRAIN_MS);
    } catch (error) {
      this.#log.warn('draining failed', { reason: reason(error) });
    }
    this.#admin.close();
  }
}
