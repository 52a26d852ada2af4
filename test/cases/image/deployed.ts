import { strict as assert } from 'node:assert';
import { dump } from 'js-yaml';
import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import type { Machine } from '../../lab/lab.ts';
import { kubectl } from '../../support/machines.ts';
import { forward, MANIFESTS } from './node.ts';

const NAMESPACE = 'slipway-system';
/** The name of the Service, which is in the controller's certificate. */
export const SERVICE = `slipway-controller.${NAMESPACE}.svc`;
/** Kubernetes 1.20 has disruption budgets as v1beta1 alone; Cluster API's own versions need a newer one. */
const SELECTOR = '--selector=app.kubernetes.io/name=slipway-controller';
const BUDGET = { newer: 'policy/v1', known: 'policy/v1beta1', since: 21 };
/** Policies of admission are stable since. */
const POLICIES = { kinds: ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'], since: 30 };

interface Pod {
  name: string;
  ip: string;
}

/** The controller as the manifests deploy it. */
export class Deployed {
  readonly machine: Machine;
  readonly address: string;

  private constructor(machine: Machine, address: string) {
    this.machine = machine;
    this.address = address;
  }

  /** `kubectl apply -k manifests`, and nothing else. @returns when every replica is ready */
  static async apply(machine: Machine): Promise<Deployed> {
    const done = await machine.exec(['kubectl', ...ADMIN, 'apply', '-k', MANIFESTS]);
    const { minor } = await kubernetesRelease();
    const unknown = [
      ...(minor < BUDGET.since ? ['PodDisruptionBudget'] : []),
      ...(minor < POLICIES.since ? POLICIES.kinds : []),
    ];
    if (unknown.length === 0) assert.equal(done.code, 0, done.stderr);
    // It applies all else and names what it does not know.
    const named = [...done.stderr.matchAll(/no matches for kind "(\w+)"/g)].map(([, kind]) => kind);
    assert.deepEqual([...new Set(named)].sort(), [...unknown].sort(), done.stderr);
    await applyText(machine, await machine.read(`${MANIFESTS}/controller/disruption-budget.yaml`));
    const address = await kubectl(
      ...[machine, ...IN, 'get', 'service', 'slipway-controller'],
      '--output=jsonpath={.spec.clusterIP}',
    );
    const deployed = new Deployed(machine, address);
    await deployed.ready();
    await deployed.forward();
    return deployed;
  }

  /** Waits for every replica. */
  async ready(): Promise<void> {
    for (const name of ['slipway-controller', 'slipway-minter'])
      await this.kubectl('rollout', 'status', `deployment/${name}`, '--timeout=300s');
  }

  kubectl(...args: string[]): Promise<string> {
    return kubectl(this.machine, ...IN, ...args);
  }

  /** Runs a program of the image in a pod. */
  inPod(pod: Pod, ...command: string[]): Promise<string> {
    return this.kubectl('exec', pod.name, '--', ...command);
  }

  /** The controller's pods that are not being deleted. */
  async pods(): Promise<Pod[]> {
    const { items } = JSON.parse(await this.kubectl('get', 'pods', SELECTOR, '--output=json')) as {
      items: PodObject[];
    };
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status }) => ({ name: metadata.name, ip: status.podIP ?? '' }));
  }

  /** Name of the pod that holds the Lease; empty while none does. */
  async leader(): Promise<string> {
    const holder = '--output=jsonpath={.spec.holderIdentity}';
    return (await this.kubectl('get', 'lease', 'slipway-controller', holder)).replace(/_[^_]*$/, '');
  }

  /** The Service's address leads to the pods that are ready now. */
  async forward(): Promise<void> {
    const text = await this.kubectl('get', 'endpoints', 'slipway-controller', '--output=json');
    const { subsets = [] } = JSON.parse(text) as { subsets?: { addresses?: { ip: string }[] }[] };
    const ready = subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => `${ip}:8443`));
    await forward(this.machine, this.address, 8443, ready);
  }

  /** Where the pods stand and what they said last, for a person who looks for what went wrong. */
  async lastWords(): Promise<string> {
    const where = await this.kubectl('get', 'pods,endpoints,events', '--output=wide');
    return `${where}\n${await this.kubectl('logs', SELECTOR, '--prefix', '--tail=20')}`;
  }

  async createMachine(name: string): Promise<void> {
    await applyText(this.machine, dump(machineObject(name)));
  }

  /** Waits for the condition to be True. */
  async bootstrapped(name: string): Promise<void> {
    const condition = '--for=condition=slipway.dev/BootstrapSucceeded';
    await kubectl(this.machine, 'wait', condition, `machine/${name}`, '--timeout=180s');
  }
}

interface PodObject {
  metadata: { name: string; deletionTimestamp?: string };
  status: { podIP?: string };
}

const ADMIN = ['--kubeconfig', '/etc/kubernetes/admin.conf'];
const IN = ['--namespace', NAMESPACE];

/** `kubectl apply` of manifests as text. @returns what it says */
export async function applyText(machine: Machine, text: string, ...options: string[]): Promise<string> {
  const input = await knownPart(text);
  return machine.execOk(['kubectl', ...ADMIN, 'apply', '--filename=-', ...options], { input });
}

/** What of manifests this release of Kubernetes knows, in its words. */
export async function knownPart(text: string): Promise<string> {
  const { minor } = await kubernetesRelease();
  const documents = text
    .split(/^---\n/m)
    .filter(
      (one) => minor >= POLICIES.since || !POLICIES.kinds.some((kind) => one.includes(`kind: ${kind}\n`)),
    )
    .join('---\n');
  return minor >= BUDGET.since
    ? documents
    : documents.replaceAll(`apiVersion: ${BUDGET.newer}\n`, `apiVersion: ${BUDGET.known}\n`);
}

function machineObject(name: string): object {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'default' },
    spec: {
      clusterName: 'demo',
      bootstrap: { dataSecretName: 'x' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
    },
  };
}
