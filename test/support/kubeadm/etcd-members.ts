import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { type Etcd, labEtcd } from '../../lab/kubernetes/etcd.ts';
import { kubernetesBinaries, kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import { fastKeys, type Release } from '../../lab/kubernetes/release.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { waitFor } from '../../lab/process/wait-for.ts';

const ADDRESSES = ['127.0.9.1', '127.0.9.2', '127.0.9.3'];

/**
 * Real etcd members on loopback addresses, with the ports, certificates and client authentication that kubeadm gives
 * them. `root` is the root directory of the second one's machine, as a failed join leaves it.
 */
export class EtcdMembers {
  readonly root: string;
  readonly #dir: string;
  readonly #binary: readonly string[];
  readonly #children = new Map<number, Running>();

  private constructor(dir: string, { command }: Etcd) {
    this.#dir = dir;
    this.root = join(dir, 'machine');
    this.#binary = command;
  }

  static async create(): Promise<EtcdMembers> {
    const members = new EtcdMembers(mkdtempSync(join(tmpdir(), 'slipway-etcd-')), await labEtcd());
    members.#makeCertificates(join(await kubernetesBinaries(), 'kubeadm'), await kubernetesRelease());
    return members;
  }

  get pki(): string {
    return join(this.root, 'etc/kubernetes/pki');
  }

  client(n: number): string {
    return `https://${ADDRESSES[n - 1]}:2379`;
  }

  peer(n: number): string {
    return `https://${ADDRESSES[n - 1]}:2380`;
  }

  /** Starts member `n` of the cluster of members `of`; the first cluster is new. */
  start(n: number, of: number[]): void {
    const pki = this.pki;
    const args = [
      `--name=cp${n}`,
      `--data-dir=${this.#dir}/data-${n}`,
      `--listen-client-urls=${this.client(n)}`,
      `--advertise-client-urls=${this.client(n)}`,
      `--listen-peer-urls=${this.peer(n)}`,
      `--initial-advertise-peer-urls=${this.peer(n)}`,
      `--initial-cluster=${of.map((m) => `cp${m}=${this.peer(m)}`).join()}`,
      `--initial-cluster-state=${of.length === 1 ? 'new' : 'existing'}`,
      '--client-cert-auth=true',
      '--peer-client-cert-auth=true',
      `--trusted-ca-file=${pki}/etcd/ca.crt`,
      `--peer-trusted-ca-file=${pki}/etcd/ca.crt`,
      `--cert-file=${pki}/etcd/server.crt`,
      `--key-file=${pki}/etcd/server.key`,
      `--peer-cert-file=${pki}/etcd/peer.crt`,
      `--peer-key-file=${pki}/etcd/peer.key`,
      '--unsafe-no-fsync',
    ];
    const [program = '', ...rest] = this.#binary;
    this.#children.set(n, start(program, [...rest, ...args], { stdio: 'ignore' }));
  }

  /** Kills member `n` and takes its data away. */
  async stop(n: number): Promise<void> {
    const child = this.#children.get(n);
    this.#children.delete(n);
    child?.kill('SIGKILL');
    await child;
    rmSync(join(this.#dir, `data-${n}`), { recursive: true, force: true });
  }

  /** Asks a member by curl, so that the test does not trust what it tests. */
  ask(path: string, body: unknown = {}, n = 1): Record<string, unknown> {
    const pki = this.pki;
    const credentials = ['--cacert', `${pki}/etcd/ca.crt`, '--cert', `${pki}/etcd/healthcheck-client.crt`];
    const { stdout } = execaSync(
      'curl',
      ['-sS', '-m', '10', ...credentials, '--key', `${pki}/etcd/healthcheck-client.key`].concat(
        ['-d', JSON.stringify(body)],
        `${this.client(n)}${path}`,
      ),
    );
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** Peer addresses of the members, with a mark for those that do not vote. */
  list(): string[] {
    const { members } = this.ask('/v3/cluster/member/list') as {
      members: { peerURLs: string[]; isLearner?: boolean }[];
    };
    return members
      .map(
        ({ peerURLs, isLearner }) =>
          `${ADDRESSES.findIndex((a) => peerURLs[0]?.includes(a)) + 1}${isLearner ? ' learner' : ''}`,
      )
      .sort();
  }

  /** Right after a removal etcd refuses for a moment. */
  add(n: number, isLearner: boolean): Promise<unknown> {
    const added = async () =>
      this.ask('/v3/cluster/member/add', { peerURLs: [this.peer(n)], isLearner }).member !== undefined;
    return waitFor(added, { timeoutMs: 600_000, what: `member ${n} to be added`, everyMs: 200 });
  }

  healthy(n = 1): Promise<unknown> {
    return waitFor(
      async () => {
        try {
          return this.ask('/v3/maintenance/status', {}, n).leader !== undefined;
        } catch {
          // Not listening yet.
          return false;
        }
      },
      { timeoutMs: 600_000, what: 'etcd to have a leader', everyMs: 100 },
    );
  }

  /** Waits until one of these leads, as each of them sees it: where another one has led, they elect anew. */
  led(by: readonly number[]): Promise<unknown> {
    return waitFor(
      async () => {
        try {
          const told = by.map((n) => this.ask('/v3/maintenance/status', {}, n)) as unknown as {
            leader?: string;
            header: { member_id: string };
          }[];
          const ids = told.map(({ header }) => header.member_id);
          return told.every(({ leader }) => leader !== undefined && ids.includes(leader));
        } catch {
          // Not listening yet.
          return false;
        }
      },
      { timeoutMs: 600_000, what: `one of the members ${by.join(' and ')} to lead`, everyMs: 100 },
    );
  }

  put(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  async close(): Promise<void> {
    for (const n of [...this.#children.keys()]) await this.stop(n);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #makeCertificates(kubeadm: string, release: Release): void {
    const sans = { serverCertSANs: ADDRESSES, peerCertSANs: ADDRESSES };
    this.put(
      '/kubeadm.yaml',
      JSON.stringify({
        apiVersion: `kubeadm.k8s.io/${release.configApi}`,
        kind: 'ClusterConfiguration',
        kubernetesVersion: release.version,
        certificatesDir: this.pki,
        ...fastKeys(release),
        etcd: { local: sans },
      }),
    );
    for (const phase of ['ca', 'etcd-ca', 'etcd-server', 'etcd-peer', 'etcd-healthcheck-client']) {
      execaSync(kubeadm, ['init', 'phase', 'certs', phase, '--config', join(this.root, 'kubeadm.yaml')]);
    }
  }
}
