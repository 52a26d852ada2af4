import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { HOUR_MS, SteppedClock } from '../../support/stepped-clock.ts';
import { RealMachine } from '../clock/real-machine.ts';

export const about =
  'a month of check-ins by a real agent: certificates are renewed, the authority is replaced twice, and the settings of the machine stay as they were';

const DAY_MS = 24 * HOUR_MS;
const DAYS = 32;
/** As `ca rotate` has it, after which the authority before counts no longer. */
const ROTATIONS: readonly number[] = [6, 18];

export async function run(say: (line: string) => void): Promise<void> {
  const clock = await SteppedClock.make(say);
  const data = mkdtempSync(join(tmpdir(), 'slipway-month-'));
  const words = ['--standalone', `--data=${data}`, '--name=127.0.0.1'];
  let controller = await ControllerProcess.start(words, clock.command);
  const { port } = controller;
  let machine: RealMachine | undefined;
  try {
    const read = async (...command: string[]): Promise<string> => {
      const done = await controllerCommand([...command, `--data=${data}`], clock.command);
      assert.equal(done.code, 0, done.stderr);
      return done.stdout;
    };
    const [ca, token] = [await read('ca'), (await read('token', '--machine=node-1')).trim()];
    machine = await RealMachine.start({ name: 'node-1', clock, port, ca, token, commands: [] });
    await machine.ends();
    const first = machine.certificateEnd;
    for (let day = 2; day <= DAYS; day += 2) {
      clock.step(day * DAY_MS);
      if (ROTATIONS.includes(day)) assert.notEqual(await read('ca', 'rotate'), ca);
      // Pods do not live for a month either.
      await controller.end('SIGTERM');
      controller = await ControllerProcess.start([...words, `--listen=127.0.0.1:${port}`], clock.command);
      machine.reboot();
      assert.equal(await machine.checkIn(), 0, `day ${day}:\n${machine.log}`);
    }
    const now = Date.now() + DAYS * DAY_MS;
    assert.ok(machine.certificateEnd > now && first < now, 'the certificate was renewed');
    assert.ok(
      !(await read('ca')).includes(ca.trim()),
      'the authority that the settings name counts no longer',
    );
    say(`${DAYS} days, ${ROTATIONS.length} authorities later: each check-in was answered`);
  } catch (error) {
    say(`last words:\n${controller.lines.slice(-6).join('\n')}\n${machine?.log ?? ''}`);
    throw error;
  } finally {
    await machine?.stop();
    await controller.end('SIGKILL');
    clock.remove();
    rmSync(data, { recursive: true, force: true });
  }
}
