import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { destroyGroup } from '../host/cgroups.ts';
import { labEtcd } from '../kubernetes/etcd.ts';
import { kubernetesBinaries, kubernetesRelease } from '../kubernetes/kubernetes.ts';
import { rootKubeconfig } from '../kubernetes/release.ts';
import { labDir, labGroup } from '../lab-record.ts';
import { type Finished, LabError, lastLines, run } from '../process/command.ts';
import { waitFor } from '../process/wait-for.ts';
import {
  ABSENT_NODE,
  auditLog,
  auditPolicy,
  commandOf,
  ENDPOINT,
  kubeadmConfig,
  type Places,
  type ProcessName,
} from './config.ts';
import { Daemon } from './daemon.ts';

/**
 * etcd, kube-apiserver and kube-controller-manager as plain processes on the lab's switch: what real `kubeadm join`
 * needs on the other side, without a node, containers or images.
 */
export class ControlPlane {
  /** Address and port as machines reach it. */
  readonly endpoint = ENDPOINT;
  readonly #places: Places;
  readonly #lab: string;
  readonly #enter: readonly string[];
  readonly #daemons: Readonly<Record<ProcessName, Daemon>>;

  constructor(lab: string, switchPid: number, places: Places) {
    this.#lab = lab;
    this.#places = places;
    this.#enter = ['nsenter', `--net=/proc/${switchPid}/ns/net`];
    const daemon = (name: ProcessName) => new Daemon(name, places.dir, groupOf(lab), this.#enter);
    this.#daemons = {
      etcd: daemon('etcd'),
      apiserver: daemon('apiserver'),
      'controller-manager': daemon('controller-manager'),
    };
  }

  /** Path of a kubeconfig with all rights. */
  get adminKubeconfig(): string {
    return join(this.#places.dir, `kubeconfig/${rootKubeconfig(this.#places.release.minor)}.conf`);
  }

  /** The directory with ca.crt, ca.key, front-proxy-ca.*, sa.* and etcd's CA, as kubeadm lays them. */
  get pki(): string {
    return join(this.#places.dir, 'pki');
  }

  /** What is put there before a start of the API server has it keep an audit log. */
  get auditPolicy(): string {
    return auditPolicy(this.#places.dir);
  }

  get auditLog(): string {
    return auditLog(this.#places.dir);
  }

  /** For `--discovery-token-ca-cert-hash` and `caCertHashes`. */
  get caCertHashes(): string[] {
    const key = new X509Certificate(readFileSync(join(this.pki, 'ca.crt'))).publicKey;
    return [
      `sha256:${createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('hex')}`,
    ];
  }

  /** The words that run a program of this machine on the lab's switch, where machines reach it as 10.99.0.1. */
  onSwitch(argv: readonly string[]): string[] {
    return [...this.#enter, ...argv];
  }

  /** Run a Kubernetes program of the lab on the switch. */
  run(
    program: 'kubectl' | 'kubeadm',
    args: readonly string[],
    options: { input?: string; timeoutMs?: number } = {},
  ): Promise<Finished> {
    return run(
      this.#enter[0] ?? '',
      [...this.#enter.slice(1), join(this.#places.binaries, program), ...args],
      {
        ...options,
        cwd: this.#places.dir,
        env: { PATH: process.env.PATH, HOME: this.#places.dir, KUBECONFIG: this.adminKubeconfig },
      },
    );
  }

  /** kubectl's stdout. @throws LabError when it fails */
  kubectl(args: readonly string[], options: { input?: string } = {}): Promise<string> {
    return this.#ok('kubectl', args, options);
  }

  async #ok(
    program: 'kubectl' | 'kubeadm',
    args: readonly string[],
    options: { input?: string } = {},
  ): Promise<string> {
    const done = await this.run(program, args, { timeoutMs: 600_000, ...options });
    if (done.code === 0) return done.stdout;
    throw new LabError(
      `${program} ${args.slice(0, 4).join(' ')} ended with status ${done.code}:\n${lastLines(done.stderr, 8)}`,
    );
  }

  /**
   * A bootstrap token that a join can use at once: returns when cluster-info is signed with it.
   * @param options.ttl as kubeadm writes times ("10m"); default 1h
   */
  async createToken(options: { ttl?: string; id?: string; secret?: string } = {}): Promise<string> {
    const id = options.id ?? randomBytes(3).toString('hex');
    const token = `${id}.${options.secret ?? randomBytes(8).toString('hex')}`;
    await this.#ok('kubeadm', ['token', 'create', token, '--ttl', options.ttl ?? '1h']);
    const signed = async () =>
      (
        await this.kubectl(['get', 'configmap', '--namespace=kube-public', 'cluster-info', '--output=json'])
      ).includes(`jws-kubeconfig-${id}"`);
    await waitFor(signed, { timeoutMs: 600_000, what: `cluster-info to be signed with token ${id}` });
    return token;
  }

  /** Take one process away; `start` brings it back with its data. */
  stop(name: ProcessName, signal?: NodeJS.Signals): Promise<void> {
    return this.#daemons[name].stop(signal);
  }

  async start(name: ProcessName): Promise<void> {
    await this.#daemons[name].start(commandOf(name, this.#places));
    if (name === 'apiserver') await this.#daemons.apiserver.ready(() => this.#answers(), 180_000);
  }

  log(name: ProcessName): string {
    return this.#daemons[name].log;
  }

  get running(): boolean {
    return Object.values(this.#daemons).every((daemon) => daemon.running);
  }

  async #answers(): Promise<boolean> {
    return (await this.run('kubectl', ['get', '--raw', '/readyz', '--request-timeout=5s'])).code === 0;
  }

  /** From nothing to joinable. */
  async create(): Promise<void> {
    const { dir, release } = this.#places;
    for (const sub of ['log', 'kubeconfig', 'run'])
      await mkdir(join(dir, sub), { recursive: true, mode: 0o700 });
    const config = join(dir, 'kubeadm.yaml');
    await writeFile(config, kubeadmConfig(this.pki, release));
    const phase = (...args: string[]) => this.#ok('kubeadm', ['init', 'phase', ...args, '--config', config]);
    await this.start('etcd');
    await phase('certs', 'all');
    await Promise.all(
      [rootKubeconfig(release.minor), 'controller-manager'].map((name) =>
        phase('kubeconfig', name, '--kubeconfig-dir', join(dir, 'kubeconfig')),
      ),
    );
    await this.start('apiserver');
    await this.start('controller-manager');
    await this.#becomeJoinable(phase);
  }

  async #becomeJoinable(phase: (...args: string[]) => Promise<string>): Promise<void> {
    // upload-config ends by annotating the node on which it runs. A Node of that name makes it content.
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: ABSENT_NODE, labels: { 'kubernetes.io/hostname': ABSENT_NODE } },
    };
    await this.kubectl(['create', '--filename=-'], { input: JSON.stringify(node) });
    const kubeconfig = `--kubeconfig=${this.adminKubeconfig}`;
    await phase('upload-config', 'all', kubeconfig);
    await phase('bootstrap-token', kubeconfig);
    await this.kubectl(['delete', 'node', ABSENT_NODE]);
    // The token that the phase made was printed to nobody; kubeadm cannot be told to make none.
    await this.kubectl([
      'delete',
      'secret',
      '--namespace=kube-system',
      '--field-selector=type=bootstrap.kubernetes.io/token',
    ]);
  }

  /** Kill its processes and remove its files. */
  async destroy(): Promise<void> {
    await destroyGroup(groupOf(this.#lab));
    await rm(this.#places.dir, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  }
}

function groupOf(lab: string): string {
  return join(labGroup(lab), 'control-plane');
}

async function placesOf(lab: string, say?: (line: string) => void): Promise<Places> {
  return {
    dir: join(labDir(lab), 'control-plane'),
    binaries: await kubernetesBinaries(say),
    etcd: (await labEtcd(say)).command,
    release: await kubernetesRelease(say),
  };
}

/** Is one there, or ruins of one? */
export function hasControlPlane(lab: string): boolean {
  return existsSync(join(labDir(lab), 'control-plane'));
}

/** The lab's control plane, whether all of it runs or not. @throws LabError where there is none */
export async function attachControlPlane(lab: string, switchPid: number): Promise<ControlPlane> {
  const places = await placesOf(lab);
  if (!existsSync(places.dir))
    throw new LabError('there is no control plane; `npm run lab -- control-plane up` makes one');
  return new ControlPlane(lab, switchPid, places);
}

/** The lab's control plane, made if there is none (or only ruins of one). */
export async function openControlPlane(
  lab: string,
  switchPid: number,
  say?: (line: string) => void,
): Promise<ControlPlane> {
  const places = await placesOf(lab, say);
  const plane = new ControlPlane(lab, switchPid, places);
  if (existsSync(places.dir)) {
    if (plane.running) return plane;
    await plane.destroy();
  }
  try {
    await plane.create();
    return plane;
  } catch (error) {
    await plane.destroy();
    throw error;
  }
}
