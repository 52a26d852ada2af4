import { strict as assert } from 'node:assert';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { signingRequest, type Wish } from '../../../src/controller/approve/fixtures/requests.ts';
import type { Address } from '../../../src/controller/approve/member.ts';
import {
  COLLECTION,
  type SigningCondition,
  type SigningRequest,
} from '../../../src/controller/approve/signing-request.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { machinesPath } from '../../../src/controller/machines/machine.ts';
import type { Running } from '../../lab/process/command.ts';
import { APPROVER } from '../../support/controller/api-server.ts';
import { startController } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { asPod, deployedArguments } from './pod.ts';
import { type Reachable, reachable } from './reachable.ts';

export const BOOTSTRAP_TOKEN = 'abcdef.0123456789abcdef';
const GROUP = 'system:bootstrappers:kubeadm:default-node-token';

/** What a kubelet has once its first request is granted. */
interface Kubelet {
  readonly node: string;
  readonly client: KubeClient;
}

/**
 * A real API server that has the Machines and whose kubelets ask, kube-controller-manager that signs there, and an approver
 * with the rights of its manifests.
 */
export class Scene {
  readonly cluster: ManagementCluster;
  readonly bootstrap: KubeClient;
  readonly say: (line: string) => void;
  log = '';
  readonly #approvers: { account: string; process: Running; log: string }[] = [];
  #made = 0;
  #reachable: Reachable | undefined;

  private constructor(cluster: ManagementCluster, say: (line: string) => void) {
    this.cluster = cluster;
    this.bootstrap = cluster.api.client(BOOTSTRAP_TOKEN);
    this.say = say;
  }

  static async open(say: (line: string) => void): Promise<Scene> {
    const cluster = await ManagementCluster.start(say);
    const scene = new Scene(cluster, say);
    try {
      await scene.#prepare();
      return scene;
    } catch (error) {
      await scene.close();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const { api } = this.cluster;
    for (const file of ['service-account', 'reading', 'default-namespace', 'workload/rights'])
      await api.kubectl(['apply', `--filename=${join(root, 'manifests/approver', file)}.yaml`]);
    for (const folder of ['approver', 'approver/workload'])
      await api.kubectl(['apply', '--dry-run=server', `--kustomize=${join(root, 'manifests', folder)}`]);
    // kubeadm's own, by which kubelets may ask and nobody approves.
    for (const [at, group] of [GROUP, 'system:nodes'].entries())
      await api.kubectl([
        ...['create', 'clusterrolebinding', `asks-${at}`, '--clusterrole=system:node-bootstrapper'],
        `--group=${group}`,
      ]);
    const [id, secret] = BOOTSTRAP_TOKEN.split('.');
    await api.kubectl([
      ...['--namespace=kube-system', 'create', 'secret', 'generic', `bootstrap-token-${id}`],
      '--type=bootstrap.kubernetes.io/token',
      ...[`--from-literal=token-id=${id}`, `--from-literal=token-secret=${secret}`],
      ...['--from-literal=usage-bootstrap-authentication=true', `--from-literal=auth-extra-groups=${GROUP}`],
    ]);
    await api.startManager('csrsigning');
  }

  /** The kubeconfig that Cluster API puts beside a Cluster's Machines; here with the approver's rights alone. */
  async kubeconfig(cluster: string, more: object = {}): Promise<void> {
    const { api } = this.cluster;
    this.#reachable ??= await reachable(Number(api.url.port));
    const config = JSON.parse(readFileSync(api.kubeconfig(APPROVER), 'utf8'));
    const { 'certificate-authority': _, ...server } = config.clusters[0].cluster;
    const ca = readFileSync(join(api.dir, 'ca.crt')).toString('base64');
    config.clusters[0].cluster = {
      ...server,
      ...{ server: this.#reachable.url, 'tls-server-name': 'localhost', 'certificate-authority-data': ca },
    };
    config.users[0].user = { ...config.users[0].user, ...more };
    await this.secret(cluster, JSON.stringify(config));
  }

  /** The Secret that anybody may write who has the namespace. */
  async secret(cluster: string, value: string): Promise<void> {
    await this.cluster.client.request('POST', '/api/v1/namespaces/default/secrets', {
      body: {
        metadata: { name: `${cluster}-kubeconfig` },
        stringData: { value },
        type: 'cluster.x-k8s.io/secret',
      },
    });
  }

  /** Starts an approver as its Deployment does. @returns ends it */
  approve(...words: string[]): Promise<() => Promise<void>> {
    return this.approveAs('slipway-approver', ...words);
  }

  /** @param account a ServiceAccount */
  async approveAs(account: string, ...words: string[]): Promise<() => Promise<void>> {
    const process = startController([...deployedArguments(), ...words], await asPod(this.cluster, account));
    const approver = { account, process, log: '' };
    process.stderr?.on('data', (text: Buffer) => {
      approver.log += text.toString();
      this.log += text.toString();
    });
    this.#approvers.push(approver);
    return async () => {
      process.kill('SIGTERM');
      assert.equal((await process).exitCode, 0);
    };
  }

  /** Those that the first approver of a ServiceAccount has said to listen on. */
  ports(account = 'slipway-approver'): { adminPort: number; probePort: number } | undefined {
    const log = this.#approvers.find((approver) => approver.account === account)?.log ?? '';
    const [adminPort, probePort] = ['adminPort', 'probePort'].map((name) =>
      Number(new RegExp(`"${name}":(\\d+)`).exec(log)?.[1]),
    );
    return adminPort && probePort ? { adminPort, probePort } : undefined;
  }

  /** Somebody asks. @returns the name of the request */
  async ask(
    who: KubeClient,
    wish: Wish & { keys?: { publicKey: KeyObject; privateKey: KeyObject } },
    spec: object = {},
  ): Promise<string> {
    this.#made += 1;
    const name = `csr-${this.#made}`;
    const made = signingRequest(wish).spec;
    await who.request('POST', COLLECTION, {
      body: {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: { request: made.request, signerName: made.signerName, usages: made.usages, ...spec },
      },
    });
    return name;
  }

  read(name: string): Promise<SigningRequest> {
    return this.cluster.client.request('GET', `${COLLECTION}/${name}`);
  }

  /** Waits until it is decided. */
  decided(name: string): Promise<SigningCondition> {
    return eventually(`a word on ${name}`, async () => (await this.read(name)).status?.conditions?.[0]);
  }

  /** @returns the certificate in PEM */
  async signed(name: string): Promise<string> {
    const { type, message = '' } = await this.decided(name);
    assert.equal(type, 'Approved', message);
    const certificate = await eventually(
      `a certificate of ${name}`,
      async () => (await this.read(name)).status?.certificate,
    );
    return Buffer.from(certificate, 'base64').toString();
  }

  async denied(name: string, because: RegExp): Promise<void> {
    const { type, message = '', reason } = await this.decided(name);
    assert.deepEqual([type, reason], ['Denied', 'SlipwayDenied'], `${name}: ${message}`);
    assert.match(message, because);
  }

  /** Waits until the approver has said of a request why it does nothing. */
  async told(name: string, because: RegExp): Promise<void> {
    const line = await eventually(`a line on ${name}`, async () =>
      this.log.split('\n').findLast((text) => text.includes(`"request":"${name}"`) && because.test(text)),
    );
    assert.match(line, /put off|left alone/);
    assert.equal((await this.read(name)).status?.conditions, undefined);
  }

  /** A node by its bootstrap token, as kubelets begin. */
  async join(node: string): Promise<Kubelet> {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cert = await this.signed(await this.ask(this.bootstrap, { node, keys }));
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { node, client: this.cluster.api.clientWith({ cert, key }) };
  }

  async addresses(machine: string, addresses: readonly Address[]): Promise<void> {
    await this.cluster.client.request('PATCH', `${machinesPath('v1beta2', 'default')}/${machine}/status`, {
      body: { status: { addresses } },
      contentType: 'application/merge-patch+json',
    });
  }

  async close(): Promise<void> {
    for (const { process } of this.#approvers) process.kill('SIGKILL');
    await Promise.all(this.#approvers.map(({ process }) => process));
    this.bootstrap.close();
    this.#reachable?.close();
    await this.cluster.close();
  }
}
