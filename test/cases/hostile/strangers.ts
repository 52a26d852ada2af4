import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { startStrangers } from '../../support/controller/strangers.ts';
import { ask } from './ask.ts';
import { Latencies } from './latency.ts';
import type { Scene } from './scene.ts';

const MACHINES = 20;
const EVENTS = 20;
const REPORTS = 10;

/**
 * Strangers hold thousands of connections and half-sent enrolments. Meanwhile machines that enrolled before report their
 * verdicts, others enrol, and probes are answered: nobody is refused, and hardly anybody waits.
 */
export async function strangers({ say }: Pick<Scene, 'say'>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-hostile-'));
  const data = `--data=${folder}`;
  const controller = await ControllerProcess.start(['--standalone', data, '--strangers-per-second=50']);
  let end: (() => Promise<void>) | undefined;
  try {
    const ca = (await controllerCommand(['ca', data])).stdout;
    const token = (await controllerCommand(['token', 'create', data])).stdout.trim();
    const machines = Array.from({ length: MACHINES }, (_, at) => {
      const from = `127.5.0.${at + 1}`;
      return new SimulatedMachine({ port: controller.port, ca, instance: `m${at}`, from });
    });
    const [before, during] = [machines.slice(0, MACHINES / 2), machines.slice(MACHINES / 2)];
    for (const machine of before) await machine.enrol(token);
    end = await startStrangers({
      ...{ port: controller.port, halfSent: 1_150, halfSentFrom: 9, silent: 6_000, silentFrom: 24 },
      ...{ plain: [controller.adminPort, controller.probePort], idle: 70 },
    });
    say('1,150 half-sent enrolments of 9 addresses, 6,000 silent connections of 24, 70 on each plain port');
    const latencies = new Latencies(controller.pid);
    for (const machine of during) await latencies.of(machine.enrol(token));
    const events = bootstrapEvents(EVENTS);
    for (let at = 0; at < EVENTS; at += EVENTS / REPORTS) {
      for (const body of events.slice(at, at + EVENTS / REPORTS))
        for (const machine of machines) machine.tell(body);
      for (const machine of machines) await latencies.of(machine.report());
      // Each report over a connection of its own, which has to get in.
      for (const machine of machines) machine.hangUp();
      assert.equal(await ask(controller.probePort, '/healthz'), 'ok\n');
      assert.equal(await ask(controller.probePort, '/readyz'), 'ok\n');
    }
    const metrics = await ask(controller.adminPort, '/metrics');
    assert.match(
      metrics,
      /^slipway_refusals_total\{reason="(connects|displaced)"\} \d+$/m,
      'there was no attack',
    );
    assert.doesNotMatch(metrics, /status="(429|503)"/, 'somebody was refused');
    const nodes = JSON.parse((await controllerCommand(['nodes', data, '--output=json'])).stdout);
    const phases = nodes.map(({ phase }: { phase: string }) => phase);
    assert.deepEqual(
      phases,
      machines.map(() => 'Succeeded'),
    );
    say(`${MACHINES} machines enrol and report, each time anew, and probes are answered: nobody is refused`);
    say(latencies.verdict());
  } finally {
    await end?.();
    await controller.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
