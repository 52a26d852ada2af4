import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { controllerBinaryPath, root } from '../../build/project.ts';
import type { ControlPlane } from '../lab/lab.ts';
import { type Running, runOk, start } from '../lab/process/command.ts';
import type { MachineOptions } from '../support/cluster-api/user-data.ts';
import { waitUntilEstablished } from '../support/controller/established.ts';
import { clusterApiCrds, knowsPolicies } from '../support/controller/management-cluster.ts';

/** The lab's switch, as machines see it. */
const ADDRESS = '10.99.0.1';
const PORT = 8443;
const ENDPOINT = `https://${ADDRESS}:${PORT}`;

export const BOOTSTRAP_SUCCEEDED = 'slipway.dev/BootstrapSucceeded';
export const NODE_ATTESTED = 'slipway.dev/NodeAttested';

/**
 * The management cluster of the demo: a real API server with Cluster API's CRDs, Machine objects as its infrastructure
 * provider would make them, and the real controller, which machines reach over the lab's network.
 */
export class Management {
  readonly #api: ControlPlane;
  readonly #dir = mkdtempSync(join(tmpdir(), 'slipway-demo-'));
  #controller: Running | undefined;
  #minter: Running | undefined;

  private constructor(api: ControlPlane) {
    this.#api = api;
    // Ctrl-C ends the demo without coming to close().
    process.once('exit', () => {
      this.#controller?.kill('SIGKILL');
      rmSync(this.#dir, { recursive: true, force: true });
    });
  }

  static async start(api: ControlPlane): Promise<Management> {
    const management = new Management(api);
    try {
      await management.#install();
      await management.#serve();
      return management;
    } catch (error) {
      await management.close();
      throw error;
    }
  }

  kubectl(...args: string[]): Promise<string> {
    return this.#api.kubectl(args);
  }

  /** What `slipway-controller` itself shows. */
  read(...words: string[]): Promise<string> {
    return this.#run([...words, `--kubeconfig=${this.#api.adminKubeconfig}`]);
  }

  /**
   * Makes the Machine and gives the files that Cluster API's `spec.files` would bring to it, so that it can report.
   * The enrolment token is made by the controller, for this Machine alone.
   */
  async addMachine(name: string): Promise<NonNullable<MachineOptions['files']>> {
    await this.apply(machineObject(name, { labels: { 'slipway.dev/machine-token': '' } }));
    const token = await this.#token(name);
    return [
      await this.#settings({ tokenFile: '/etc/slipway/token' }),
      { path: '/etc/slipway/token', content: token, permissions: '0600' },
    ];
  }

  /** The same for a machine that proves itself by its TPM. @param key of `slipway identity` */
  async addMachineWithTpm(name: string, key: string): Promise<NonNullable<MachineOptions['files']>> {
    await this.apply(machineObject(name, { annotations: { 'slipway.dev/endorsement-key': key } }));
    return [await this.#settings({ tpm: true })];
  }

  async apply(object: object): Promise<void> {
    await this.#api.kubectl(['apply', '--filename=-'], { input: JSON.stringify(object) });
  }

  /** Keeps a file for a Machine. @returns the stub that the machine gets */
  seal(machine: string, file: string): Promise<string> {
    return this.read('seal', file, `--machine=${machine}`, '--namespace=default', `--endpoint=${ENDPOINT}`);
  }

  async #settings(means: object): Promise<{ path: string; content: string; permissions: string }> {
    const controller = { endpoints: [ENDPOINT], ca: await this.read('ca'), ...means };
    return {
      path: '/etc/slipway/config.d/50-controller.yaml',
      // JSON is YAML.
      content: JSON.stringify({ report: { controller } }),
      permissions: '0644',
    };
  }

  /** Waits until a condition of the Machine is not Unknown any more. */
  async verdict(name: string, condition: string, timeoutMs = 120_000): Promise<void> {
    const path = `{.status.conditions[?(@.type=="${condition}")].status}`;
    for (const end = Date.now() + timeoutMs; ; await sleep(200)) {
      const status = await this.kubectl('get', 'machine', name, `--output=jsonpath=${path}`);
      if (status === 'True' || status === 'False') return;
      if (Date.now() > end)
        throw new Error(`Machine ${name} has no verdict: ${condition} is ${status || 'absent'}`);
    }
  }

  /** A condition of every Machine, as `kubectl` shows it. */
  conditions(condition: string): Promise<string> {
    const field = (name: string) => `.status.conditions[?(@.type=="${condition}")].${name}`;
    const title = condition.replace('slipway.dev/', '').toUpperCase();
    const columns = `MACHINE:.metadata.name,${title}:${field('status')},REASON:${field('reason')},MESSAGE:${field('message')}`;
    return this.kubectl('get', 'machines', `--output=custom-columns=${columns}`);
  }

  async close(): Promise<void> {
    for (const process of [this.#minter, this.#controller]) {
      process?.kill('SIGTERM');
      await process;
    }
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #install(): Promise<void> {
    for (const file of clusterApiCrds()) {
      await this.kubectl('apply', '--server-side', '--validate=false', `--filename=${file}`);
    }
    const { resources } = load(readFileSync(join(root, 'manifests/kustomization.yaml'), 'utf8')) as {
      resources: string[];
    };
    const kubectl = (words: readonly string[]): Promise<string> => this.kubectl(...words);
    const without = ['controller/', ...((await knowsPolicies({ kubectl })) ? [] : ['policy/'])];
    for (const name of resources.filter((path) => !without.some((folder) => path.startsWith(folder)))) {
      await this.kubectl('apply', `--filename=${join(root, 'manifests', name)}`);
    }
    await waitUntilEstablished((words) => this.kubectl(...words));
  }

  async #serve(): Promise<void> {
    const log = openSync(join(this.#dir, 'controller.log'), 'w');
    const [program = '', ...words] = this.#api.onSwitch([
      controllerBinaryPath,
      'serve',
      `--kubeconfig=${this.#api.adminKubeconfig}`,
      '--namespace=slipway-system',
      `--listen=${ADDRESS}:${PORT}`,
      `--name=${ADDRESS}`,
      '--admin-listen=127.0.0.1:0',
      '--probe-listen=127.0.0.1:0',
    ]);
    this.#controller = start(program, words, { stdio: ['ignore', log, log] });
    const access = [`--kubeconfig=${this.#api.adminKubeconfig}`, '--namespace=slipway-system'];
    const [minter = '', ...rest] = this.#api.onSwitch([controllerBinaryPath, 'mint', ...access]);
    this.#minter = start(minter, rest, { stdio: ['ignore', log, log] });
    closeSync(log);
    for (const end = Date.now() + 30_000; ; await sleep(100)) {
      const text = readFileSync(join(this.#dir, 'controller.log'), 'utf8');
      if (text.includes('"serves"')) return;
      if (this.#controller.nodeChildProcess.exitCode !== null || Date.now() > end)
        throw new Error(`the controller does not serve:\n${text.split('\n').slice(-8).join('\n')}`);
    }
  }

  async #token(name: string): Promise<string> {
    const secret = `${name}-slipway-token`;
    for (const end = Date.now() + 30_000; ; await sleep(100)) {
      const found = await this.kubectl(
        'get',
        'secret',
        secret,
        '--ignore-not-found',
        '--output=jsonpath={.data.token}',
      );
      if (found) return Buffer.from(found, 'base64').toString();
      if (Date.now() > end) throw new Error(`the controller made no token for Machine ${name}`);
    }
  }

  async #run(words: string[]): Promise<string> {
    const [program = '', ...rest] = this.#api.onSwitch([controllerBinaryPath, ...words]);
    return runOk(program, rest);
  }
}

function machineObject(name: string, more: object): object {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'default', ...more },
    spec: {
      clusterName: 'demo',
      bootstrap: { dataSecretName: name },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
    },
  };
}
