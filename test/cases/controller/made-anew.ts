import { strict as assert } from 'node:assert';
import { collectionPath, type NodeBootstrap } from '../../../src/controller/store/node-bootstrap.ts';
import { CHECKIN_PATH } from '../../../src/protocol/check-in/check-in.ts';
import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import { bootstrapEvents } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** A NodeBootstrap that is made anew with its spec and without its status, as clusterctl does it, is told again. */
export async function madeAnew(scene: Scene, controller: ControllerProcess): Promise<void> {
  const { cluster, say } = scene;
  const name = 'made-anew';
  const path = `${collectionPath('default')}/${name}`;
  await cluster.createMachine(name, { token: true });
  await cluster.knownTo(controller);
  const machine = scene.machine(controller, { hostname: name });
  await machine.enrolSoon(await cluster.machineToken(name));
  for (const body of bootstrapEvents(20)) machine.tell(body);
  const all = machine.batch([...machine.spool]);
  const tell = async () => JSON.parse((await machine.post('/v1/events', all)).body);
  assert.deepEqual(await tell(), { version: 1, stored: 20, checkin: { everySeconds: 300 } });
  const checkIn = async () => {
    machine.hangUp();
    const told = { seq: machine.seq };
    const { body } = await machine.post(CHECKIN_PATH, { version: 1, machine: machine.identity, told });
    return JSON.parse(body);
  };
  assert.equal((await checkIn()).wants, 'nothing');
  const before = await cluster.client.request<NodeBootstrap>('GET', path);
  await cluster.client.request('DELETE', path);
  await eventually('the machine to be a stranger', async () => (await checkIn()).error === 'unauthorized');
  const { apiVersion, kind, spec, metadata } = before as NodeBootstrap & { apiVersion: string; kind: string };
  const { uid: _, resourceVersion: __, ...others } = metadata;
  const body = { apiVersion, kind, metadata: others, spec };
  await cluster.client.request('POST', collectionPath('default'), { body });
  await eventually('the controller to want the events', async () => (await checkIn()).wants === 'events');
  assert.equal((await tell()).stored, 20);
  const { status } = await cluster.client.request<NodeBootstrap>('GET', path);
  assert.deepEqual(
    status?.eventLog?.map(({ seq }) => seq),
    all.events.map(({ seq }) => seq),
  );
  await eventually('it to want nothing', async () => (await checkIn()).wants === 'nothing');
  await cluster.conditionIs(name, 'True');
  machine.hangUp();
  say('a node that was made anew, without its status, is told again by a check-in');
}
