import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { root } from '../../../build/project.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import type { KubeObject, ListOf } from '../../../src/controller/kube/objects.ts';
import { apiVersionOf, clustersPath, machinesPath } from '../../../src/controller/machines/machine.ts';
import { poolsPath } from '../../../src/controller/pools/pool.ts';
import { collectionPath, type NodeBootstrap } from '../../../src/controller/store/node-bootstrap.ts';
import { Authority } from '../../../src/pki/authority.ts';
import { makeCertificates, makeKubeletCertificate } from '../../support/cluster-api/certificates.ts';
import { controlPlaneInit, workerJoin } from '../../support/cluster-api/user-data.ts';
import { ADMIN, CONTROLLER, PROVIDER, WEBHOOK } from '../../support/controller/api-server.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import { DIST } from '../../support/machines.ts';
import { WebhookProcess } from './webhook-process.ts';

export const about =
  'the webhook at a real API server: bootstrap data of a labelled namespace get what their machines need to report, and nothing else changes';

const FORMAT = { cloud: 'cloud-config', ignition: 'ignition' } as const;

/** The files that are added, as `slipway plan` shows them. */
const ADDED = ['/etc/slipway/config.d/80-managed.yaml', '/etc/slipway/managed-token'];

export async function run(say: (line: string) => void): Promise<void> {
  const cluster = await ManagementCluster.start(say);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-webhook-'));
  let controller: ControllerProcess | undefined;
  let webhook: WebhookProcess | undefined;
  try {
    const apply = (path: string) => cluster.api.kubectl(['apply', `--filename=${join(root, path)}`]);
    for (const file of ['rights', 'service', 'deployment']) await apply(`manifests/webhook/${file}.yaml`);
    const at = (user: string) => [
      `--kubeconfig=${cluster.api.kubeconfig(user)}`,
      '--namespace=slipway-system',
    ];
    controller = await ControllerProcess.start(at(CONTROLLER));
    webhook = await WebhookProcess.start([
      ...at(WEBHOOK),
      '--listen=127.0.0.1:0',
      `--endpoint=https://127.0.0.1:${controller.port}`,
    ]);
    const scene = new Scene(cluster, controller, folder);
    await scene.configure(webhook.port);
    say('the webhook serves with the rights of its manifest and a certificate that the controller made');
    await scene.adds();
    say(
      'cloud-config of workers and control planes, Ignition: two files more, and all else as it was; the token enrols its Machine',
    );
    await scene.pools();
    say(
      'a MachinePool: a token of the pool that lets its machines in, and not many more, another one with each renewal, none for a config that a Machine names, too',
    );
    await scene.late();
    say(
      "a machine that comes when its Machine has its Node: its token beside the kubelet's certificate lets it report and nothing else; old user data, a disk that was used and other clusters' certificates do not",
    );
    await scene.moved();
    say('after clusterctl move the token of a Machine that has not booted is renewed for its new UID');
    await scene.leaves();
    say(
      'authorities, kubeconfigs, other writers, other namespaces, Machines that say none, dry runs and updates: unchanged',
    );
    await scene.refusesStrangers(webhook.port);
    say('who does not know the path gets no answer');
    await scene.noticesAnotherAuthority(webhook);
    say('an API server with an authority from before a rotation is noticed, in the log and by the metric');
    await webhook.end('SIGKILL');
    await scene.goesOnWithout();
    say('without the webhook bootstrap data is stored as it is');
  } catch (error) {
    say(`the last words:\n${[controller, webhook].flatMap((one) => one?.lines.slice(-6) ?? []).join('\n')}`);
    throw error;
  } finally {
    await webhook?.end('SIGKILL');
    await controller?.end('SIGKILL');
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Scene {
  readonly #cluster: ManagementCluster;
  readonly #controller: ControllerProcess;
  readonly #folder: string;
  readonly #provider: KubeClient;
  readonly #data = {
    name: 'demo',
    endpoint: '10.0.0.1:6443',
    kubernetesVersion: 'v1.36.2',
    token: 'abcdef.0123456789abcdef',
  };

  constructor(cluster: ManagementCluster, controller: ControllerProcess, folder: string) {
    this.#cluster = cluster;
    this.#controller = controller;
    this.#folder = folder;
    this.#provider = cluster.api.client(PROVIDER);
  }

  /** As docs/bootstrap-data.md says, but that no Service leads to a process of this host: another port and an external name. */
  async configure(port: number): Promise<void> {
    const printed = await controllerCommand([
      ...['webhook', 'configuration', `--kubeconfig=${this.#cluster.api.kubeconfig(ADMIN)}`],
    ]);
    assert.equal(printed.code, 0, printed.stderr);
    const configuration = JSON.parse(printed.stdout) as {
      webhooks: { clientConfig: { service: { port?: number } } }[];
    };
    for (const { clientConfig } of configuration.webhooks) clientConfig.service.port = port;
    await this.#cluster.api.kubectl(
      ['apply', '--validate=false', '--filename=-'],
      JSON.stringify(configuration),
    );
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'slipway-webhook', namespace: 'slipway-system' },
    };
    await this.#cluster.api.kubectl(['delete', 'service', '--namespace=slipway-system', 'slipway-webhook']);
    const external = { ...service, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await this.#cluster.api.kubectl(['apply', '--filename=-'], JSON.stringify(external));
    await this.#cluster.api.kubectl(['label', 'namespace', 'default', 'slipway.dev/bootstrap-data=managed']);
    // The API server takes a moment to know its webhooks.
    await this.#machine('first');
    await eventually('the webhook to be called', async () => {
      const value = await this.#write('first', '#cloud-config\n');
      if (value !== '#cloud-config\n') return true;
      await this.#delete('first');
      return false;
    });
  }

  async adds(): Promise<void> {
    const data = { ...this.#data, certificates: await makeCertificates() };
    const texts: [string, string, string][] = [
      ['worker', workerJoin(data), FORMAT.cloud],
      ['control-plane', controlPlaneInit(data, '10.0.0.1'), FORMAT.cloud],
      ['ignition', JSON.stringify(IGNITION), FORMAT.ignition],
    ];
    for (const [name, text, format] of texts) {
      await this.#machine(name);
      const value = await this.#write(name, text, format);
      const [before, after] = [this.#plan(text), this.#plan(value)];
      for (const path of ADDED) assert.match(after, new RegExp(path.replaceAll('.', '\\.')), name);
      assert.equal(without(after, ADDED), without(before, []), `${name}: something else changed`);
    }
    const token = tokenIn(await this.#read('worker'));
    const ca = authorityIn(await this.#read('worker'));
    const machine = new SimulatedMachine({ port: this.#controller.port, ca, hostname: 'elsewhere' });
    await machine.enrolSoon(token);
    const { spec } = await this.#cluster.node('worker');
    assert.equal(spec.machine?.by, 'token', JSON.stringify(spec.machine));
    const second = new SimulatedMachine({ port: this.#controller.port, ca, hostname: 'copy' });
    await assert.rejects(second.enrol(token), /enrolment: 4/, 'the token serves once');
  }

  async pools(): Promise<void> {
    const text = workerJoin({ ...this.#data, certificates: await makeCertificates() });
    await this.#pool('pool');
    const value = await this.#write('pool', text);
    const [before, after] = [this.#plan(text), this.#plan(value)];
    assert.equal(without(after, ADDED), without(before, []), 'something else changed');
    const [ca, token] = [authorityIn(value), tokenIn(value, 'slwp.')];
    const at = { port: this.#controller.port, ca };
    for (const hostname of ['pool-a', 'pool-b']) {
      const machine = new SimulatedMachine({ ...at, hostname, instance: hostname });
      await machine.enrolSoon(token);
    }
    const { items } = await this.#cluster.client.request<ListOf<NodeBootstrap>>(
      'GET',
      collectionPath('default'),
    );
    const ofPool = items.filter(({ spec }) => spec.enrolment.selector?.owner === 'MachinePool/pool');
    assert.deepEqual(ofPool.map(({ spec }) => spec.hostname).sort(), ['pool-a', 'pool-b']);
    assert.ok(
      ofPool.every(({ spec }) => spec.enrolment.selector?.cluster === 'demo' && !spec.machine),
      JSON.stringify(ofPool),
    );
    // Cluster API's kubeadm provider renews its own token by writing all of it anew.
    const renewed = await this.#update(
      'pool',
      text.replace('abcdef.0123456789abcdef', 'bcdefg.0123456789abcdef'),
    );
    assert.notEqual(tokenIn(renewed, 'slwp.'), token, 'a renewal brings a new token');
    const third = new SimulatedMachine({ ...at, hostname: 'pool-c', instance: 'pool-c' });
    await third.enrolSoon(tokenIn(renewed, 'slwp.'));
    await this.#boundsPool(at, tokenIn(renewed, 'slwp.'));
    await this.#pool('pool-opted-out', 'none');
    assert.equal(await this.#write('pool-opted-out', text), text, 'a pool that says none');
    // A tenant who may make Machines or MachinePools gets no token for what is not theirs.
    await this.#machine('both');
    await this.#pool('forged', undefined, 'both');
    assert.equal(await this.#write('both', text), text, 'a config of two');
  }

  async late(): Promise<void> {
    const certificates = await makeCertificates();
    const text = workerJoin({ ...this.#data, certificates });
    await this.#machine('latecomer');
    const value = await this.#write('latecomer', text);
    const [ca, token] = [authorityIn(value), tokenIn(value)];
    const path = `${machinesPath(this.#cluster.version, 'default')}/latecomer/status`;
    await this.#cluster.client.request('PATCH', path, {
      body: { status: { nodeRef: { name: 'late-node' } } },
      contentType: 'application/merge-patch+json',
    });
    const at = { port: this.#controller.port, ca };
    const own = await makeKubeletCertificate(certificates, 'late-node');
    // Old user data alone; a node of another cluster, and another node of this one, that has them.
    const thief = new SimulatedMachine({ ...at, hostname: 'thief' });
    await eventually('the controller to know of the Node', () =>
      thief.enrol(token).then(
        () => assert.fail('it enrolled by old user data alone'),
        (error: Error) => /has its Node already/.test(error.message),
      ),
    );
    const foreign = await makeKubeletCertificate(await makeCertificates(), 'late-node');
    await assert.rejects(thief.enrolLate(token, foreign), /not in this machine's user data/);
    const neighbour = await makeKubeletCertificate(certificates, 'another-node');
    await assert.rejects(thief.enrolLate(token, neighbour), /not that of Node late-node/);
    await assert.rejects(thief.enrolLate(token, { ...own, key: neighbour.key }), /did not sign/);
    const { reason } = await this.#cluster.conditionIs('latecomer', 'Unknown');
    assert.equal(reason, 'ReportingRefused');

    const machine = new SimulatedMachine({ ...at, hostname: 'latecomer' });
    await machine.enrolLate(token, own);
    for (const body of bootstrapEvents(30)) machine.tell(body);
    await machine.report();
    await this.#cluster.conditionIs('latecomer', 'True');
    assert.equal((await this.#cluster.node('latecomer')).spec.machine?.by, 'lateToken');
    const released = await machine.post('/v1/release', { version: 1, machine: machine.identity });
    assert.equal(JSON.parse(released.body).reason, 'SealedDataRefused', released.body);
    // A disk that was copied before: with the token and the kubelet's key, but not first.
    await assert.rejects(thief.enrolLate(token, own), /used already, by another key/);
    await eventually('an Event to tell of the second one', async () => {
      const events = await this.#cluster.client.request<ListOf<KubeObject & { reason: string }>>(
        'GET',
        '/api/v1/namespaces/default/events',
      );
      return events.items.some((event) => event.reason === 'TokenUsedTwice');
    });
    await this.#cluster.conditionIs('latecomer', 'True');
  }

  /** clusterctl makes Machines and Secrets anew, as an administrator. */
  async moved(): Promise<void> {
    const { client, version } = this.#cluster;
    const text = workerJoin({ ...this.#data, certificates: await makeCertificates() });
    await this.#machine('moved');
    const value = await this.#write('moved', text);
    await client.request('DELETE', `${machinesPath(version, 'default')}/moved`);
    await client.request('DELETE', '/api/v1/namespaces/default/secrets/moved');
    await this.#machine('moved');
    const stolen = await this.#write('moved', value, FORMAT.cloud, { client });
    assert.equal(stolen, value, 'nothing is being moved');
    await client.request('DELETE', '/api/v1/namespaces/default/secrets/moved');
    await pauseDemo(client);
    const renewed = await this.#write('moved', value, FORMAT.cloud, { client });
    assert.notEqual(tokenIn(renewed), tokenIn(value));
    assert.equal(
      without(this.#plan(renewed), ADDED),
      without(this.#plan(text), []),
      'something else changed',
    );
    await client.request('DELETE', `${clustersPath('v1beta2', 'default')}/demo`);
    const at = { port: this.#controller.port, ca: authorityIn(renewed) };
    await assert.rejects(new SimulatedMachine(at).enrol(tokenIn(value)), /does not exist any more/);
    await new SimulatedMachine(at).enrolSoon(tokenIn(renewed));
  }

  /** Somebody has stolen the token of a pool of two. */
  async #boundsPool(at: { port: number; ca: string }, token: string): Promise<void> {
    const enrol = (n: number): Promise<void> =>
      new SimulatedMachine({ ...at, hostname: `thief-${n}`, instance: `thief-${n}` }).enrol(token);
    let made = 0;
    await assert.rejects(async () => {
      for (; made < 30; made += 1) await enrol(made);
    }, /enrolment: 429/);
    assert.equal(
      made,
      2 * 2 + 10 - 3,
      'as many as a pool of two may have within an hour, three of which came before',
    );
    await eventually('an Event on the pool', async () => {
      const events = await this.#cluster.api.kubectl([
        '--namespace=default',
        'get',
        'events',
        '--output=json',
      ]);
      return events.includes('"TooManyMachines"');
    });
    const now = new Date(Date.now() + 1_000).toISOString();
    const annotated = [
      'annotate',
      '--namespace=default',
      'machinepool',
      'pool',
      `slipway.dev/tokens-from=${now}`,
    ];
    await this.#cluster.api.kubectl(annotated);
    await eventually('the stolen token to count no longer', () =>
      enrol(made).then(
        () => false,
        ({ message }: Error) => /enrolment: 401/.test(message),
      ),
    );
  }

  async leaves(): Promise<void> {
    const text = '#cloud-config\nruncmd:\n- echo\n';
    for (const name of ['other', 'opted-out', 'dry'])
      await this.#machine(name, name === 'opted-out' ? 'none' : undefined);
    assert.equal(
      await this.#write('demo-kubeconfig', text, FORMAT.cloud, { owner: 'other' }),
      text,
      'a kubeconfig',
    );
    assert.equal(
      await this.#write('demo-ca', text, FORMAT.cloud, { owner: 'other', key: 'tls.key' }),
      text,
      'an authority',
    );
    assert.equal(
      await this.#write('other', text, FORMAT.cloud, { client: this.#cluster.client }),
      text,
      'another writer',
    );
    assert.equal(await this.#write('opted-out', text), text, 'a Machine that says none');
    const dry = await this.#post('dry', text, FORMAT.cloud, { query: { dryRun: 'All' } });
    assert.notEqual(dry, text, 'a dry run is answered');
    await assert.rejects(this.#read('dry'), /not found/);
    // A value that Go sends as null once ended the webhook; what follows shows that it is there.
    await this.#provider.request('POST', '/api/v1/namespaces/default/secrets', {
      body: {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret', data: { value: null } },
        metadata: {
          ...{ name: 'nothing', labels: { 'cluster.x-k8s.io/cluster-name': 'demo' } },
          ownerReferences: [
            {
              ...{ apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig', name: 'nothing' },
              ...{ uid: '0f8fad5b-d9cb-469f-a165-70867728950e', controller: true },
            },
          ],
        },
      },
    });
    // What is there stays as it is: labels may change.
    const path = '/api/v1/namespaces/default/secrets/opted-out';
    await this.#provider.request('PATCH', path, {
      ...{ contentType: 'application/merge-patch+json' as const, body: { metadata: { labels: { a: 'b' } } } },
    });
    assert.equal(await this.#read('opted-out'), text);
    await this.#cluster.api.kubectl(['create', 'namespace', 'elsewhere']);
    await this.#machine('elsewhere', undefined, 'elsewhere');
    assert.equal(await this.#write('elsewhere', text, FORMAT.cloud, { namespace: 'elsewhere' }), text);
  }

  /** A review that anybody in the cluster can send, whatever it says of its user. */
  async refusesStrangers(port: number): Promise<void> {
    for (const path of [
      '/',
      '/bootstrap-data//managed',
      '/bootstrap-data/x/managed',
      '/bootstrap-data/managed',
    ]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const asked = request(
          { host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        asked.once('error', reject);
        asked.end('{}');
      });
      assert.equal(status, 404, path);
    }
  }

  /** As where nobody has applied the configuration again after a rotation of the authority. */
  async noticesAnotherAuthority(webhook: WebhookProcess): Promise<void> {
    const other = Buffer.from(Authority.create('another').certificate).toString('base64');
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/slipway-webhook';
    const body = [0, 1].map((index) => ({
      ...{ op: 'replace', path: `/webhooks/${index}/clientConfig/caBundle`, value: other },
    }));
    await this.#cluster.client.request('PATCH', path, { contentType: 'application/json-patch+json', body });
    await this.#machine('untrusting');
    await eventually('the API server to use the other authority', async () => {
      const value = await this.#write('untrusting', '#cloud-config\n');
      await this.#delete('untrusting');
      return value === '#cloud-config\n';
    });
    await eventually('the webhook to tell of it', async () =>
      webhook.lines.some((line) => line.includes('certificate-refused') && line.includes('kubectl apply')),
    );
  }

  async goesOnWithout(): Promise<void> {
    await this.#machine('late');
    assert.equal(await this.#write('late', '#cloud-config\n'), '#cloud-config\n');
  }

  #machine(name: string, mode?: string, namespace = 'default'): Promise<unknown> {
    const labels = {
      'cluster.x-k8s.io/cluster-name': 'demo',
      ...(mode && { 'slipway.dev/bootstrap-data': mode }),
    };
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name };
    return this.#cluster.client.request('POST', machinesPath(this.#cluster.version, namespace), {
      body: {
        apiVersion: apiVersionOf(this.#cluster.version),
        kind: 'Machine',
        // Some providers give the config another name than its Machine's.
        metadata: { name: name === 'control-plane' ? 'cp-x7k2p' : name, namespace, labels },
        spec: {
          clusterName: 'demo',
          bootstrap: { configRef },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
        },
      },
    });
  }

  #pool(name: string, mode?: string, config = name): Promise<unknown> {
    const labels = {
      'cluster.x-k8s.io/cluster-name': 'demo',
      ...(mode && { 'slipway.dev/bootstrap-data': mode }),
    };
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: config };
    return this.#cluster.client.request('POST', poolsPath(this.#cluster.version, 'default'), {
      body: {
        apiVersion: apiVersionOf(this.#cluster.version),
        kind: 'MachinePool',
        metadata: { name, namespace: 'default', labels },
        spec: {
          ...{ clusterName: 'demo', replicas: 2 },
          template: {
            spec: {
              clusterName: 'demo',
              bootstrap: { configRef },
              infrastructureRef: {
                ...{ apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachinePool', name },
              },
            },
          },
        },
      },
    });
  }

  /** As the provider renews it. @returns what is stored */
  async #update(name: string, text: string): Promise<string> {
    const path = `/api/v1/namespaces/default/secrets/${name}`;
    const there = await this.#cluster.client.request<Secret>('GET', path);
    const data = { ...there.data, value: Buffer.from(text).toString('base64') };
    await this.#provider.request('PUT', path, { body: { ...there, data } });
    return this.#read(name);
  }

  /** Writes bootstrap data as the provider does. @returns what is stored */
  async #write(
    name: string,
    text: string,
    format: string = FORMAT.cloud,
    more: Writing = {},
  ): Promise<string> {
    await this.#post(name, text, format, more);
    return this.#read(name, more);
  }

  async #post(name: string, text: string, format: string, more: Writing = {}): Promise<string> {
    const { client = this.#provider, owner = name, key = 'value', namespace = 'default', query } = more;
    const secret = await client.request<Secret>('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      ...(query && { query }),
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'cluster.x-k8s.io/secret',
        metadata: {
          name,
          labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
          ownerReferences: [
            {
              apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
              ...{ kind: 'KubeadmConfig', name: owner, uid: '0f8fad5b-d9cb-469f-a165-70867728950e' },
              controller: true,
            },
          ],
        },
        stringData: { [key]: text, format },
      },
    });
    return Buffer.from(secret.data[key] ?? '', 'base64').toString();
  }

  async #read(name: string, { namespace = 'default', key = 'value' }: Writing = {}): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const { data } = await this.#cluster.client.request<Secret>('GET', path);
    return Buffer.from(data[key] ?? '', 'base64').toString();
  }

  #delete(name: string): Promise<unknown> {
    return this.#cluster.client.request('DELETE', `/api/v1/namespaces/default/secrets/${name}`);
  }

  #plan(text: string): string {
    const [file, metaData] = [join(this.#folder, 'user-data'), join(this.#folder, 'meta-data')];
    writeFileSync(file, text);
    writeFileSync(metaData, 'instance-id: i-1\nlocal-hostname: machine-1\n');
    const { stdout } = execaSync(DIST, [
      'plan',
      '--user-data',
      file,
      '--meta-data',
      metaData,
      '--output',
      'json',
    ]);
    return stdout;
  }
}

interface Secret {
  data: Record<string, string>;
}

interface Writing {
  client?: KubeClient;
  owner?: string;
  key?: string;
  namespace?: string;
  query?: Record<string, string>;
}

const IGNITION = {
  ignition: { version: '2.3.0' },
  storage: {
    files: [
      {
        filesystem: 'root',
        path: '/etc/kubeadm.sh',
        mode: 448,
        contents: { source: 'data:,%23!%2Fbin%2Fbash%0Aecho%0A' },
      },
    ],
  },
  systemd: {
    units: [
      {
        name: 'a.service',
        enabled: true,
        contents: '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
      },
    ],
  },
};

/** A plan's steps without the lines of these files, and without the digests and counts that hang on them. */
function without(plan: string, paths: readonly string[]): string {
  const { steps } = JSON.parse(plan) as {
    steps: { id: string; kind: string; title: string; details: string[] }[];
  };
  return steps
    .flatMap(({ id, kind, title, details }) => [
      `${id} ${kind} ${title.replace(/\d+ files?/, 'files')}`,
      ...details.filter((line) => !paths.some((path) => line.includes(path))),
    ])
    .join('\n');
}

function contentsIn(text: string): string[] {
  return [...text.matchAll(/encoding: 'base64'\n\s*content: '(.*)'/g)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString(),
  );
}

function tokenIn(text: string, prefix = 'slwm.'): string {
  return (
    contentsIn(text)
      .find((content) => content.startsWith(prefix))
      ?.trim() ?? ''
  );
}

function authorityIn(text: string): string {
  const [settings = '{}'] = contentsIn(text);
  return (JSON.parse(settings) as { report: { controller: { ca: string } } }).report.controller.ca;
}

/** As clusterctl creates a Cluster in the target. */
async function pauseDemo(client: KubeClient): Promise<void> {
  await client.request('POST', clustersPath('v1beta2', 'default'), {
    body: {
      apiVersion: apiVersionOf('v1beta2'),
      kind: 'Cluster',
      metadata: { name: 'demo', namespace: 'default' },
      spec: { paused: true, controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
    },
  });
}
