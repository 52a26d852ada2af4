import { strict as assert } from 'node:assert';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { objectPath } from '../../../src/controller/store/node-bootstrap.ts';
import { ADMIN, CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import { createCluster, moveCluster, pause } from './clusterctl-move.ts';

export const about =
  'clusterctl move between two real API servers: what machines told before it, during it and after it, with the keys of the first controller';

export async function run(say: (line: string) => void): Promise<void> {
  const [source, target] = [await ManagementCluster.start(say), await ManagementCluster.start(say)];
  const started: ControllerProcess[] = [];
  try {
    await new Move(source, target, started, say).run();
  } catch (error) {
    say(`the controllers' last words:\n${started.map(({ lines }) => lines.slice(-8).join('\n')).join('\n')}`);
    throw error;
  } finally {
    await Promise.all(started.map((controller) => controller.end('SIGKILL')));
    await Promise.all([source.close(), target.close()]);
  }
}

class Move {
  readonly #source: ManagementCluster;
  readonly #target: ManagementCluster;
  readonly #started: ControllerProcess[];
  readonly #say: (line: string) => void;

  constructor(
    source: ManagementCluster,
    target: ManagementCluster,
    started: ControllerProcess[],
    say: (line: string) => void,
  ) {
    this.#source = source;
    this.#target = target;
    this.#started = started;
    this.#say = say;
  }

  async run(): Promise<void> {
    const [before, after] = [await this.#serve(this.#source), await this.#serve(this.#target)];
    const ca = await kubernetesCertificate(this.#source.client, 'slipway-system');
    await createCluster(this.#source.client, 'demo');
    const machines = new Map<string, SimulatedMachine>();
    for (const name of ['done', 'failed', 'running', 'forged', 'unbooted']) {
      await this.#source.createMachine(name, { token: true });
      if (name === 'unbooted') continue;
      const machine = new SimulatedMachine({ port: before.port, ca });
      await machine.enrolSoon(await this.#source.machineToken(name));
      const events = bootstrapEvents(30, name === 'failed' || name === 'forged');
      for (const body of name === 'running' ? events.slice(0, 12) : events) machine.tell(body);
      await machine.report();
      machines.set(name, machine);
    }
    await this.#source.conditionIs('done', 'True');
    await this.#source.conditionIs('failed', 'False');
    for (const name of ['done', 'failed', 'forged']) await this.#keptVerdict(name);
    this.#say('each verdict lies signed in the spec of its NodeBootstrap, where clusterctl takes it along');
    await this.#upgrades();
    await this.#pausing(machines.get('running') as SimulatedMachine);

    const copied = await this.#copyKeys();
    assert.equal(copied.code, 0, copied.stderr);
    assert.ok(copied.stdout.includes(ca.trim()));
    await eventually('the target to use the keys', async () => {
      const machine = new SimulatedMachine({ port: after.port, ca });
      return machine.post('/v1/enroll', {}).then(
        () => true,
        () => false,
      );
    });
    await this.#forge();
    await moveCluster(this.#source.client, this.#target.client, 'demo');
    assert.equal((await this.#target.conditionIs('done', 'True')).reason, 'Bootstrapped');
    const failed = await this.#target.conditionIs('failed', 'False');
    assert.equal(failed.reason, 'ApiServerUnreachable');
    const { status } = await this.#target.node('done');
    assert.equal(status?.phase, 'Succeeded');
    assert.equal(status?.seq, 30);
    this.#say('after the move the conditions of Machines whose reporters have ended say what they said');

    const running = machines.get('running') as SimulatedMachine;
    for (const body of bootstrapEvents(30).slice(12)) running.tell(body);
    running.connectTo(after.port);
    await eventually('the machine to go on', () =>
      running.report().then(
        () => true,
        () => false,
      ),
    );
    await this.#target.conditionIs('running', 'True');
    this.#say('a machine that bootstraps meanwhile goes on with the certificate that it has');

    await eventually('the forged verdict to be refused', async () =>
      after.lines.some((line) => line.includes('not signed by this controller')),
    );
    assert.notEqual((await this.#target.condition('forged'))?.status, 'True');
    this.#say('a verdict that somebody changed on the way is not believed');

    const late = new SimulatedMachine({ port: after.port, ca });
    await assert.rejects(late.enrol(await this.#source.machineToken('unbooted')), /does not exist any more/);
    const token = await controllerCommand([
      ...['token', 'create', '--namespace=default', '--machine=unbooted'],
      `--kubeconfig=${this.#target.api.kubeconfig(ADMIN)}`,
    ]);
    await late.enrolSoon(token.stdout.trim());
    this.#say('a Machine that has not booted takes a token for its new UID, and the old one is told why not');

    const again = await this.#copyKeys(this.#target, this.#source);
    assert.equal(again.code, 0, again.stderr);
    for (const machine of [...machines.values(), late]) machine.hangUp();
  }

  async #serve(cluster: ManagementCluster): Promise<ControllerProcess> {
    const controller = await ControllerProcess.start([
      `--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`,
      '--namespace=slipway-system',
    ]);
    this.#started.push(controller);
    return controller;
  }

  async #keptVerdict(name: string): Promise<void> {
    await eventually(`the verdict of ${name} to be kept`, async () => {
      const { spec } = await this.#source.node(name);
      return spec.verdict !== undefined;
    });
  }

  /** NodeBootstraps of an earlier release have none. */
  async #upgrades(): Promise<void> {
    await this.#source.client.request('PATCH', objectPath('default', 'done'), {
      body: [{ op: 'remove', path: '/spec/verdict' }],
      contentType: 'application/json-patch+json',
    });
    await this.#keptVerdict('done');
    this.#say('one that lacks it gets it');
  }

  /** What is stored while objects are copied would be lost. */
  async #pausing(machine: SimulatedMachine): Promise<void> {
    const { client } = this.#source;
    await pause(client, 'demo', true);
    await eventually('the controller to know of the pause', async () => {
      machine.tell({ type: 'fact', name: 'n', value: 'v' });
      const { status, headers } = await machine.post('/v1/events', machine.batch(machine.spool));
      return status === 503 && headers['retry-after'] === '15';
    });
    await pause(client, 'demo', false);
    await eventually('the report to be taken again', () =>
      machine.report().then(
        () => true,
        () => false,
      ),
    );
    this.#say('a paused Cluster: reports wait, and nothing of them is lost');
  }

  #copyKeys(from = this.#source, to = this.#target) {
    return controllerCommand([
      ...['keys', 'copy', `--kubeconfig=${from.api.kubeconfig(ADMIN)}`],
      `--to-kubeconfig=${to.api.kubeconfig(ADMIN)}`,
    ]);
  }

  /** Somebody who may write NodeBootstraps makes a failure a success. */
  async #forge(): Promise<void> {
    const { spec } = await this.#source.node('forged');
    const record = spec.verdict?.record.replace('"phase":"Failed"', '"phase":"Succeeded"');
    assert.notEqual(record, spec.verdict?.record);
    await this.#source.client.request('PATCH', objectPath('default', 'forged'), {
      body: [{ op: 'replace', path: '/spec/verdict/record', value: record }],
      contentType: 'application/json-patch+json',
    });
  }
}
