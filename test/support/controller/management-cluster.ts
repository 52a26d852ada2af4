import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dump, load } from 'js-yaml';
import { root } from '../../../build/project.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import {
  apiVersionOf,
  CONDITION,
  type Condition,
  type MachineObject,
  type MachineVersion,
  machinesPath,
} from '../../../src/controller/machines/machine.ts';
import { tokenSecretName } from '../../../src/controller/machines/minter.ts';
import { collectionPath, type NodeBootstrap } from '../../../src/controller/store/node-bootstrap.ts';
import type { Running } from '../../lab/process/command.ts';
import { eventually } from '../eventually.ts';
import { ApiServer, MINTER } from './api-server.ts';
import { type ControllerProcess, startController } from './controller-process.ts';
import { waitUntilEstablished } from './established.ts';

/** Cluster API's own CRDs where they are at hand, else the project's minimal Machine. */
export function clusterApiCrds(): string[] {
  const folder = process.env.CAPI_CRDS ?? resolve(root, '../shared/crds');
  const names = [
    'machines',
    'clusters',
    'machinedeployments',
    'machinesets',
    'machinepools',
    'machinehealthchecks',
  ];
  const files = names.map((name) => join(folder, `cluster.x-k8s.io_${name}.yaml`));
  return files.every((file) => existsSync(file))
    ? files
    : [join(import.meta.dirname, 'minimal-machine-crd.yaml')];
}

/** Those of groups of Machines, as small as the minimal Machine's, where Cluster API's own are not at hand. */
function minimalGroupCrds(dir: string): string[] {
  const [machines = '', ...others] = clusterApiCrds();
  if (others.length > 0) return [];
  return ['MachineDeployment', 'MachineSet', 'MachinePool', 'Cluster'].map((kind) => {
    const singular = kind.toLowerCase();
    const text = readFileSync(machines, 'utf8')
      .replaceAll('machines', `${singular}s`)
      .replaceAll(/\bMachine(?=List\b|,)/g, kind)
      .replace('singular: machine ', `singular: ${singular} `);
    const path = join(dir, `minimal-${singular}-crd.yaml`);
    writeFileSync(path, text);
    return path;
  });
}

interface MachineOptions {
  providerID?: string;
  /** It asks for a token of its own. */
  token?: boolean;
  /** Default `default`. */
  namespace?: string;
  /** Default `demo`. */
  cluster?: string;
  labels?: Readonly<Record<string, string>>;
  /** Default `DemoMachine`. */
  infrastructureKind?: string;
  /** It takes only the machine with this TPM. */
  endorsementKey?: string;
}

/** Has it admissionregistration.k8s.io/v1 with ValidatingAdmissionPolicy? */
export async function knowsPolicies(api: Pick<ApiServer, 'kubectl'>): Promise<boolean> {
  const known = await api.kubectl(['api-resources', '--api-group=admissionregistration.k8s.io']);
  return /^validatingadmissionpolicies /m.test(known);
}

/** A real API server with Cluster API's Machines and what the controller's manifests make, but no pods. */
export class ManagementCluster {
  readonly api: ApiServer;
  readonly client: KubeClient;
  readonly version: MachineVersion;
  #minter: Running | undefined;

  private constructor(api: ApiServer, version: MachineVersion) {
    this.api = api;
    this.client = api.client();
    this.version = version;
  }

  /** @param version `v1beta1` for a Cluster API that serves nothing newer */
  static async start(
    say?: (line: string) => void,
    version: MachineVersion = 'v1beta2',
  ): Promise<ManagementCluster> {
    const api = await ApiServer.start(say);
    try {
      for (const file of [...clusterApiCrds(), ...minimalGroupCrds(api.dir)]) {
        const path = version === 'v1beta2' ? file : withoutNewer(file, api.dir);
        await api.kubectl(['apply', '--server-side', '--validate=false', `--filename=${path}`]);
      }
      const { resources } = load(readFileSync(join(root, 'manifests/kustomization.yaml'), 'utf8')) as {
        resources: string[];
      };
      // Pods need nodes, and Kubernetes before 1.30 knows no policies.
      const without = ['controller/', ...((await knowsPolicies(api)) ? [] : ['policy/'])];
      for (const name of resources.filter((path) => !without.some((folder) => path.startsWith(folder)))) {
        await api.kubectl(['apply', `--filename=${join(root, 'manifests', name)}`]);
      }
      await waitUntilEstablished((words) => api.kubectl(words));
      return new ManagementCluster(api, version);
    } catch (error) {
      await api.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.client.close();
    this.#minter?.kill('SIGKILL');
    await this.#minter;
    await this.api.close();
  }

  createMachine(name: string, more: MachineOptions = {}): Promise<MachineObject> {
    const { version } = this;
    const { namespace = 'default', cluster = 'demo', labels = {} } = more;
    const infrastructure =
      version === 'v1beta2'
        ? { apiGroup: 'infrastructure.cluster.x-k8s.io' }
        : { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
    return this.client.request('POST', machinesPath(version, namespace), {
      body: {
        apiVersion: apiVersionOf(version),
        kind: 'Machine',
        metadata: {
          name,
          namespace,
          labels: { ...labels, ...(more.token ? { 'slipway.dev/machine-token': '' } : {}) },
          ...(more.endorsementKey === undefined
            ? {}
            : { annotations: { 'slipway.dev/endorsement-key': more.endorsementKey } }),
        },
        spec: {
          clusterName: cluster,
          bootstrap: { dataSecretName: 'x' },
          infrastructureRef: { ...infrastructure, kind: more.infrastructureKind ?? 'DemoMachine', name },
          ...(more.providerID === undefined ? {} : { providerID: more.providerID }),
        },
      },
    });
  }

  get #machines(): string {
    return machinesPath(this.version, 'default');
  }

  machine(name: string): Promise<MachineObject> {
    return this.client.request('GET', `${this.#machines}/${name}`);
  }

  async condition(name: string): Promise<Condition | undefined> {
    const { status } = await this.machine(name);
    const conditions = this.version === 'v1beta2' ? status?.conditions : status?.v1beta2?.conditions;
    return conditions?.find(({ type }) => type === CONDITION);
  }

  /** Waits for the condition to have this status. @throws Error with what it is instead */
  async conditionIs(name: string, status: Condition['status'], timeoutMs = 180_000): Promise<Condition> {
    for (const end = Date.now() + timeoutMs; ; await sleep(10)) {
      const found = await this.condition(name);
      if (found?.status === status) return found;
      if (Date.now() > end) throw new Error(`Machine ${name} has ${JSON.stringify(found)}, not ${status}`);
    }
  }

  /** Waits until the controller knows of as many Machines as there are; it sees changes in their order. */
  async knownTo({ adminPort }: Pick<ControllerProcess, 'adminPort'>): Promise<void> {
    await eventually('every Machine to be known', async () => {
      const { items } = await this.client.request<ListOf<MachineObject>>('GET', machinesPath(this.version));
      const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
      return (await answer.text()).includes(`\nslipway_machines ${items.length}\n`);
    });
  }

  /** Waits until the machine has enrolled. */
  async enrolled(name: string, timeoutMs = 180_000): Promise<void> {
    for (const end = Date.now() + timeoutMs; ; await sleep(50)) {
      try {
        await this.node(name);
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  node(name: string): Promise<NodeBootstrap> {
    return this.client.request('GET', `${collectionPath('default')}/${name}`);
  }

  /** The token that the minter puts beside a Machine; the first who asks starts it, with its own rights. */
  async machineToken(name: string): Promise<string> {
    this.#minter ??= startController([
      ...['mint', `--kubeconfig=${this.api.kubeconfig(MINTER)}`, '--namespace=slipway-system'],
    ]);
    const path = `/api/v1/namespaces/default/secrets/${tokenSecretName(name)}`;
    // It may have to start, which takes long on a busy machine.
    for (const end = Date.now() + 180_000; ; await sleep(50)) {
      try {
        const { data } = await this.client.request<{ data: { token: string } }>('GET', path);
        return Buffer.from(data.token, 'base64').toString();
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }
}

export const MACHINES = machinesPath('v1beta2', 'default');

/** A copy of a CRD that knows v1beta1 alone, as Cluster API before 1.11 had it. @returns its path */
function withoutNewer(file: string, folder: string): string {
  const crd = load(readFileSync(file, 'utf8')) as { spec: { versions: { name: string }[] } };
  const versions = crd.spec.versions.filter(({ name }) => name === 'v1beta1');
  crd.spec.versions = versions.map((version) => ({ ...version, served: true, storage: true }));
  const path = join(folder, basename(file));
  writeFileSync(path, dump(crd));
  return path;
}
