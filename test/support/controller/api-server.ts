import { generateKeyPairSync } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from '../../../src/controller/kube/access.ts';
import { KubeClient } from '../../../src/controller/kube/client.ts';
import { Authority } from '../../../src/pki/authority.ts';
import { labEtcd } from '../../lab/kubernetes/etcd.ts';
import { kubernetesBinaries, kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import { hasInsecurePort } from '../../lab/kubernetes/release.ts';
import { lastLines, type Running, runOk, start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';

/** Users that the API server knows by token: those of the manifests, and who writes bootstrap data. */
export const ADMIN = 'admin-for-tests';
export const CONTROLLER = 'controller-for-tests';
export const MINTER = 'minter-for-tests';
export const APPROVER = 'approver-for-tests';
export const WEBHOOK = 'webhook-for-tests';
export const PROVIDER = 'provider-for-tests';

/**
 * A real etcd and kube-apiserver as two processes on this machine's loopback, without containers, root or network:
 * what tests of the controller talk to. About five seconds to start.
 */
export class ApiServer {
  readonly dir: string;
  readonly #binaries: string;
  readonly #etcdCommand: readonly string[];
  readonly #ports: { etcd: number; peer: number; api: number };
  readonly #ca: string;
  #etcd: Running | undefined;
  #api: Running | undefined;
  #manager: Running | undefined;

  private constructor(
    dir: string,
    binaries: string,
    etcdCommand: readonly string[],
    ports: { etcd: number; peer: number; api: number },
  ) {
    this.dir = dir;
    this.#binaries = binaries;
    this.#etcdCommand = etcdCommand;
    this.#ports = ports;
    this.#ca = this.#writeFiles();
  }

  static async start(say?: (line: string) => void): Promise<ApiServer> {
    const [binaries, { command }] = [await kubernetesBinaries(say), await labEtcd(say)];
    const [etcd = 0, peer = 0, api = 0] = await freePorts(3);
    const server = new ApiServer(mkdtempSync(join(tmpdir(), 'slipway-api-')), binaries, command, {
      etcd,
      peer,
      api,
    });
    try {
      server.startEtcd();
      await server.startApi();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get url(): URL {
    return new URL(`https://127.0.0.1:${this.#ports.api}`);
  }

  /** Access as one of the users above. */
  access(user: string = ADMIN): Access {
    return { server: this.url, ca: this.#ca, token: () => user, namespace: 'slipway-system' };
  }

  /** Somebody who has a certificate of the authority. */
  clientWith(clientCertificate: { cert: string; key: string }): KubeClient {
    return new KubeClient({ server: this.url, ca: this.#ca, clientCertificate, namespace: 'default' });
  }

  client(user: string = ADMIN): KubeClient {
    return new KubeClient(this.access(user));
  }

  /** A kubeconfig file for one of the users. */
  kubeconfig(user: string = ADMIN): string {
    const path = join(this.dir, `${user}.conf`);
    const config = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x', namespace: 'slipway-system' } }],
      clusters: [{ name: 'x', cluster: { server: this.url.href, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: 'x', user: { token: user } }],
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** @returns what kubectl printed. @throws Error with its words */
  kubectl(words: readonly string[], input = ''): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: this.dir, KUBECONFIG: this.kubeconfig() };
    return runOk(join(this.#binaries, 'kubectl'), words, { env, input });
  }

  startEtcd(): void {
    const client = `http://127.0.0.1:${this.#ports.etcd}`;
    const peer = `http://127.0.0.1:${this.#ports.peer}`;
    this.#etcd = this.#spawn('etcd', [
      ...this.#etcdCommand,
      `--data-dir=${this.dir}/etcd`,
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
      ],
      ...['--unsafe-no-fsync', '--quota-backend-bytes=8589934592', '--log-level=warn'],
    ]);
  }

  /** Starts kube-apiserver and waits until it serves. */
  async startApi(): Promise<void> {
    const { dir } = this;
    const api = this.#spawn('kube-apiserver', [
      join(this.#binaries, 'kube-apiserver'),
      ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', `--secure-port=${this.#ports.api}`],
      `--etcd-servers=http://127.0.0.1:${this.#ports.etcd}`,
      ...[`--cert-dir=${dir}/run`, `--tls-cert-file=${dir}/api.crt`, `--tls-private-key-file=${dir}/api.key`],
      ...[`--client-ca-file=${dir}/ca.crt`, `--token-auth-file=${dir}/tokens.csv`],
      ...[`--service-account-key-file=${dir}/sa.pub`, `--service-account-signing-key-file=${dir}/sa.key`],
      ...[
        '--service-account-issuer=https://kubernetes.default.svc',
        '--service-cluster-ip-range=10.96.0.0/12',
      ],
      ...['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount'],
      ...['--enable-bootstrap-token-auth=true', '--allow-privileged=true'],
    ]);
    this.#api = api;
    const client = this.client();
    try {
      for (const end = Date.now() + 180_000; ; await sleep(100)) {
        if (api.nodeChildProcess.exitCode !== null)
          throw new Error(`kube-apiserver ended:\n${this.log('kube-apiserver')}`);
        try {
          // Made by the server itself, after it can write.
          await client.request('GET', '/api/v1/namespaces/default', { timeoutMs: 2_000 });
          return;
        } catch (error) {
          const why = `${error instanceof Error ? error.message : error}\n${this.log('kube-apiserver')}`;
          if (Date.now() > end) throw new Error(`kube-apiserver is not ready: ${why}`);
        }
      }
    } finally {
      client.close();
    }
  }

  /** Starts kube-controller-manager with these of its controllers; it signs with the API server's own authority. */
  async startManager(...controllers: string[]): Promise<void> {
    const [port = 0] = await freePorts(1);
    const { minor } = await kubernetesRelease();
    const { dir } = this;
    this.#manager = this.#spawn('kube-controller-manager', [
      join(this.#binaries, 'kube-controller-manager'),
      ...[`--kubeconfig=${this.kubeconfig()}`, '--leader-elect=false', `--controllers=${controllers.join()}`],
      ...['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${dir}/run`],
      ...(hasInsecurePort(minor) ? ['--port=0'] : []),
      ...[`--cluster-signing-cert-file=${dir}/ca.crt`, `--cluster-signing-key-file=${dir}/ca.key`],
    ]);
  }

  async stopManager(): Promise<void> {
    await end(this.#manager, 'SIGKILL');
  }

  /** As if its machine had vanished, or politely; its data stays. */
  async stopApi(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await end(this.#api, signal);
  }

  /** The end of a log of one of the two. */
  log(name: string): string {
    return lastLines(readFileSync(join(this.dir, `${name}.log`), 'utf8'), 12);
  }

  async close(): Promise<void> {
    await this.stopManager();
    await end(this.#api, 'SIGKILL');
    await end(this.#etcd, 'SIGKILL');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  }

  #spawn(name: string, command: string[]): Running {
    const [program, ...words] = [...DIES_WITH_US, ...command];
    const log = openSync(join(this.dir, `${name}.log`), 'a');
    try {
      return start(program, words, { cwd: this.dir, stdio: ['ignore', log, log], env: { HOME: this.dir } });
    } finally {
      closeSync(log);
    }
  }

  #writeFiles(): string {
    const put = (name: string, text: string): void =>
      writeFileSync(join(this.dir, name), text, { mode: 0o600 });
    mkdirSync(join(this.dir, 'run'));
    const made = Authority.create('test');
    const authority = new Authority(made.certificate, made.privateKey);
    const hosts = ['127.0.0.1', 'localhost', 'kubernetes.default.svc'];
    const { cert, key } = authority.server(hosts, 86_400_000);
    const signing = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'sec1', format: 'pem' },
    });
    put('ca.crt', made.certificate);
    put('ca.key', made.privateKey);
    put('api.crt', cert);
    put('api.key', key);
    put('sa.pub', signing.publicKey);
    put('sa.key', signing.privateKey);
    const account = (token: string, name: string, uid: number): string =>
      `${token},system:serviceaccount:slipway-system:${name},${uid},"system:serviceaccounts,system:serviceaccounts:slipway-system"`;
    const users = [
      `${ADMIN},admin,1,"system:masters"`,
      account(CONTROLLER, 'slipway-controller', 2),
      account(MINTER, 'slipway-minter', 3),
      account(APPROVER, 'slipway-approver', 4),
      account(WEBHOOK, 'slipway-webhook', 5),
      `${PROVIDER},system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager,6,"system:masters"`,
    ];
    put('tokens.csv', `${users.join('\n')}\n`);
    return made.certificate;
  }
}

async function end(child: Running | undefined, signal: NodeJS.Signals): Promise<void> {
  child?.kill(signal);
  await child;
}

/** Ports that were free a moment ago, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
