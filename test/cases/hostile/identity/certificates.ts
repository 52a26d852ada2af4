import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { objectPath } from '../../../../src/controller/store/node-bootstrap.ts';
import { ControllerProcess, controllerCommand } from '../../../support/controller/controller-process.ts';
import { MACHINES } from '../../../support/controller/management-cluster.ts';
import { bootstrapEvents, type SimulatedMachine } from '../../../support/controller/simulated-machine.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Scene } from '../scene.ts';

/** The shortest that a controller gives. */
const LIFE = { option: '--certificate-ttl=1m', ms: 60_000 };

/**
 * A certificate that ended, over a connection that is kept and a session that is resumed. It takes a minute,
 * so it goes on beside the others. @returns waits for its end
 */
export async function expired({ machine, say }: Scene): Promise<() => Promise<void>> {
  const data = mkdtempSync(join(tmpdir(), 'slipway-expired-'));
  // One of its own, because a rotation ends sessions, too.
  const controller = await ControllerProcess.start(['--standalone', `--data=${data}`, LIFE.option]);
  const keeping = (async () => {
    try {
      const ask = async (...words: string[]): Promise<string> =>
        (await controllerCommand([...words, `--data=${data}`])).stdout.trim();
      const ca = await ask('ca');
      const kept = machine({ port: controller.port, ca });
      await kept.enrol(await ask('token', 'create'));
      const end = Date.now() + LIFE.ms;
      const session = await sessionOf(kept, controller.port, ca);
      kept.tell({ type: 'fact', name: 'n', value: 'v' });
      // A connection without requests is closed after five seconds.
      for (; Date.now() < end + 2_000; await sleep(1_500)) {
        kept.tell({ type: 'fact', name: 'n', value: 'v' });
        await kept.report().catch(() => undefined);
      }
      await assert.rejects(kept.report(), /events: 401/);
      await assert.rejects(kept.renew(), /renewal: 401/);
      await assert.rejects(resumed(kept, controller.port, ca, session), /401/);
    } finally {
      await controller.end('SIGKILL');
      rmSync(data, { recursive: true });
    }
    say('a certificate that ended counts neither on a kept connection nor in a resumed session');
  })();
  keeping.catch(() => undefined);
  return () => keeping;
}

/** A copy of a disk, and a Machine that is being deleted or is gone. */
export async function certificates(scene: Scene): Promise<void> {
  await copied(scene);
  await lostAnswers(scene);
  await deleted(scene);
  await moved(scene);
}

async function copied({ cluster, machine, command, say }: Scene): Promise<void> {
  await cluster.createMachine('copied', { token: true });
  const genuine = machine({ hostname: 'copied' });
  await genuine.enrol(await cluster.machineToken('copied'));
  const copy = machine({ hostname: 'copied', instance: genuine.identity.instance });
  Object.assign(copy, { key: genuine.key, certificate: genuine.certificate });
  genuine.show(await genuine.renew());
  await report(genuine);
  await assert.rejects(report(copy), /events: 401/);
  await assert.rejects(copy.renew(), /renewal: 401/);
  await report(genuine);
  assert.match(await command('node', 'default/copied'), /^Copied +its disk/m);
  await eventually('an Event', async () =>
    /"reason": "CertificateCopied"/.test(
      await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']),
    ),
  );
  say('a copy with a certificate that was replaced is refused, and people are told');
}

/** Answers that never came cost a machine nothing. */
async function lostAnswers({ cluster, machine, say }: Scene): Promise<void> {
  await cluster.createMachine('unheard', { token: true });
  const unheard = machine({ hostname: 'unheard' });
  const token = await cluster.machineToken('unheard');
  await unheard.enrol(token);
  await unheard.enrol(token);
  await report(unheard);
  for (let lost = 0; lost < 3; lost += 1) await unheard.renew();
  await report(unheard);
  unheard.show(await unheard.renew());
  await report(unheard);
  say('a machine whose answers are lost goes on');
}

async function deleted({ cluster, controller, ca, machine, say }: Scene): Promise<void> {
  const finalizers = (names: string[]) =>
    cluster.client.request('PATCH', `${MACHINES}/doomed`, {
      body: { metadata: { finalizers: names } },
      contentType: 'application/merge-patch+json',
    });
  await cluster.createMachine('doomed', { token: true });
  await finalizers(['example.org/wait']);
  const doomed = machine({ hostname: 'doomed' });
  await doomed.enrol(await cluster.machineToken('doomed'));
  await cluster.client.request('DELETE', `${MACHINES}/doomed`);
  await eventually('the deletion is known', () =>
    doomed.renew().then(
      () => false,
      (error: Error) => /renewal: 403/.test(error.message),
    ),
  );
  // It may still tell how it goes down.
  await report(doomed);
  const limits = await timeLimits(controller);
  const closed = once(await halfSent(doomed, controller.port, ca), 'close');
  await finalizers([]);
  await closed;
  assert.equal(await timeLimits(controller), limits, 'the connection was left to the limit of a request');
  await eventually('it counts no longer', () =>
    report(doomed).then(
      () => false,
      (error: Error) => /events: 401/.test(error.message),
    ),
  );
  say(
    'no renewal while the Machine is being deleted; when it is gone, nothing, and its connections are closed',
  );
}

/** `clusterctl move`: the Machine gets another UID, and what it owns gets that in its owner references. */
async function moved({ cluster, machine, say }: Scene): Promise<void> {
  const { client } = cluster;
  await cluster.createMachine('moved', { token: true });
  const mover = machine({ hostname: 'moved' });
  await mover.enrol(await cluster.machineToken('moved'));
  await client.request('DELETE', `${MACHINES}/moved`);
  await eventually('its Machine is gone', () => isRefused(mover));
  const { metadata } = await cluster.createMachine('moved');
  const before = await cluster.node('moved');
  assert.notEqual(before.spec.machine?.uid, metadata.uid);
  // Another Machine of that name is not the one that it was.
  await assert.rejects(report(mover), /401/);
  const ownerReferences = before.metadata.ownerReferences?.map((one) => ({ ...one, uid: metadata.uid }));
  await client.request('PATCH', objectPath('default', 'moved'), {
    body: { metadata: { ownerReferences } },
    contentType: 'application/merge-patch+json',
  });
  await eventually('it is the moved Machine', async () => !(await isRefused(mover)));
  mover.show(await mover.renew());
  for (const body of bootstrapEvents(24)) mover.tell(body);
  await mover.report();
  assert.equal((await cluster.conditionIs('moved', 'True')).reason, 'Bootstrapped');
  say('a machine whose Machine was moved goes on as that one, and not as one that only has its name');
}

function isRefused(machine: SimulatedMachine): Promise<boolean> {
  return report(machine).then(
    () => false,
    (error: Error) => /events: 401/.test(error.message),
  );
}

async function report(machine: SimulatedMachine): Promise<void> {
  machine.tell({ type: 'fact', name: 'n', value: 'v' });
  await machine.report();
}

function options({ key, certificate }: SimulatedMachine, port: number, ca: string) {
  return { host: '127.0.0.1', port, ca, key, cert: certificate };
}

async function sessionOf(machine: SimulatedMachine, port: number, ca: string): Promise<Buffer> {
  const socket = connect(options(machine, port, ca));
  const [session] = (await once(socket, 'session')) as [Buffer];
  socket.destroy();
  return session;
}

/** A connection with a request that goes on. */
async function halfSent(machine: SimulatedMachine, port: number, ca: string): Promise<TLSSocket> {
  const socket = connect(options(machine, port, ca));
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write('POST /v1/events HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n');
  // From then on the controller knows whose it is.
  await once(socket, 'data');
  return socket;
}

/** How many connections a controller has closed because a request took too long. */
async function timeLimits({ adminPort }: ControllerProcess): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return /^slipway_refusals_total\{reason="http"\} (\d+)$/m.exec(metrics)?.[1] ?? '0';
}

/** Sends events over the session of before. @throws Error with the status */
async function resumed(machine: SimulatedMachine, port: number, ca: string, session: Buffer): Promise<void> {
  const socket = connect({ ...options(machine, port, ca), session });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  assert.ok(socket.isSessionReused(), 'the session is resumed');
  const body = JSON.stringify(machine.batch(machine.spool));
  socket.write(
    `POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const [line = ''] = answer.toString().split('\r\n');
  if (!line.includes(' 200 ')) throw new Error(line);
}
