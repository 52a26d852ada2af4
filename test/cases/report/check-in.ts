import assert from 'node:assert/strict';
import type { Machine, MachineFile } from '../../lab/lab.ts';
import type { LabController } from './receiver.ts';

const ASKED = '/var/lib/slipway/checkin.json';

/** The timer of the release, but for how long it waits. */
export const SOON: Record<string, MachineFile> = {
  '/etc/systemd/system/slipway-checkin.timer.d/soon.conf': {
    content: '[Timer]\nOnActiveSec=\nOnActiveSec=5s\nRandomizedDelaySec=0\n',
  },
};

/**
 * The machine's reporter has ended and the controller is as it was in the middle of the bootstrap: its timer has everything
 * told again. It ends where its file goes, and comes back with it.
 */
export async function expectCheckIn(machine: Machine, controller: LabController): Promise<void> {
  const { name } = machine;
  const numbers = async () => (await controller.node(name))?.events.map(({ seq }) => seq) ?? [];
  const all = await numbers();
  await controller.restore();
  assert.ok((await numbers()).length < all.length, 'the controller was put back');
  await machine.waitFor(async () => (await numbers()).length === all.length, {
    timeoutMs: 600_000,
    what: 'everything to be told again',
  });
  assert.deepEqual(await numbers(), all, 'each event with its number, once');
  const log = await machine.execOk(['journalctl', '-o', 'cat', '-t', 'slipway-checkin']);
  assert.match(log, /is missing some of the \d+ events that it acknowledged; resending them/);
  const show = async (unit: string, property: string) =>
    (await machine.execOk(['systemctl', 'show', '--value', '-p', property, unit])).trim();
  assert.equal(await show('slipway-checkin.service', 'Result'), 'success');
  await machine.execOk(['mv', ASKED, '/root/asked']);
  const until = (state: string) =>
    machine.waitFor(async () => (await show('slipway-checkin.timer', 'ActiveState')) === state, {
      timeoutMs: 120_000,
      what: `the timer to be ${state}`,
    });
  await until('inactive');
  assert.equal(await show('slipway-checkin.path', 'SubState'), 'waiting');
  await machine.execOk(['mv', '/root/asked', ASKED]);
  await until('active');
}
