import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { type Handshakes, startHandshakes } from '../../support/tls/handshakes.ts';
import { ask } from './ask.ts';
import { Latencies } from './latency.ts';
import type { Scene } from './scene.ts';

const MACHINES = 20;
const NEW_MACHINES = 20;
const EVENTS = 20;
/** On a host that is too busy, fewer reports have to tell. */
const MOST_MS = 60_000;
const LONG = { name: 'chains of 61 certificates (80 KB)', chainLength: 61, perSecond: 100 };
/** As long as the cap on bytes lets through. */
const SHORT = { name: 'chains of 5 certificates', chainLength: 5, perSecond: 100 };
const ATTACKS: readonly (Omit<Handshakes, 'port'> & { name: string })[] = [
  { ...LONG, addresses: 12 },
  { ...SHORT, addresses: 12 },
  // Nobody can tell these from machines that come for the first time; those that came before are served all the same.
  { ...SHORT, addresses: 50_000 },
];

/**
 * Strangers show client certificates that take long to verify, a hundred times a second. Meanwhile machines that enrolled before report, over
 * a new connection each time, others enrol, and probes are answered: nobody is refused, and hardly anybody waits.
 */
export async function handshakes({ say }: Pick<Scene, 'say'>): Promise<void> {
  for (const attack of ATTACKS) await withstand(attack, say);
}

async function withstand({ name, ...attack }: (typeof ATTACKS)[number], say: Scene['say']): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-hostile-'));
  const data = `--data=${folder}`;
  // What the limit on connections lets through is up to the limits on handshakes.
  const controller = await ControllerProcess.start(['--standalone', data, '--strangers-per-second=1000']);
  let end: Awaited<ReturnType<typeof startHandshakes>> | undefined;
  try {
    const ca = (await controllerCommand(['ca', data])).stdout;
    const token = (await controllerCommand(['token', 'create', data])).stdout.trim();
    const all = Array.from({ length: MACHINES + NEW_MACHINES }, (_, at) => {
      const from = `127.5.1.${at + 1}`;
      return new SimulatedMachine({ port: controller.port, ca, instance: `m${at}`, from });
    });
    const [machines, others] = [all.slice(0, MACHINES), all.slice(MACHINES)];
    for (const machine of machines) {
      await machine.enrol(token);
      // From now on it counts as a machine at its address.
      machine.tell({ type: 'fact', name: 'kernel', value: '6.1.0' });
      await machine.report();
      machine.hangUp();
    }
    end = await startHandshakes({ port: controller.port, ...attack });
    await sleep(2_000);
    const [reports, probes] = [new Latencies(controller.pid), new Latencies(controller.pid)];
    const until = performance.now() + MOST_MS;
    for (const body of bootstrapEvents(EVENTS)) {
      if (performance.now() > until) break;
      for (const machine of machines) machine.tell(body);
      for (const machine of machines) await reports.of(machine.report());
      for (const machine of machines) machine.hangUp();
      assert.equal(await probes.of(ask(controller.probePort, '/healthz')), 'ok\n');
      assert.equal(await probes.of(ask(controller.probePort, '/readyz')), 'ok\n');
    }
    const enrolments = new Latencies(controller.pid);
    const areTold = attack.addresses < MACHINES;
    if (areTold) for (const machine of others) await enrolments.of(machine.enrol(token));
    const { begun, finished } = await end();
    end = undefined;
    assert.ok(begun > 200, `there were only ${begun} hostile handshakes`);
    say(`${name}: ${begun} handshakes of strangers, of which the server finished ${finished}`);
    say(`reports: ${reports.verdict()}`);
    say(`probes: ${probes.verdict()}`);
    if (areTold) say(`enrolments: ${enrolments.verdict()}`);
  } finally {
    await end?.();
    await controller.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
