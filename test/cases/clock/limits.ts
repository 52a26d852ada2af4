import { strict as assert } from 'node:assert';
import { eventually } from '../../support/eventually.ts';
import { HOUR_MS } from '../../support/stepped-clock.ts';
import { expectOnce, expectWhole } from './ledger.ts';
import { WAIT } from './real-machine.ts';
import type { Standalone } from './standalone.ts';

/** What must still be noticed though clocks were set, and where the harmlessness ends. */
export async function limits(scene: Standalone, say: (line: string) => void): Promise<void> {
  await killed(scene);
  say('an agent that is killed when the clock has just been set is told as killed');
  await dayBehind(scene);
  say("a clock behind the authority's certificate is named; put right, everything gets through");
}

async function killed(scene: Standalone): Promise<void> {
  const { node } = scene.clocks;
  const machine = await scene.real('killed', [WAIT]);
  await scene.phaseIs('killed', 'Running');
  node.step(HOUR_MS);
  await machine.killAgent();
  await scene.phaseIs('killed', 'Lost');
  const record = await scene.find('killed');
  assert.equal(record?.summary.failure?.code, 'AgentKilled');
  if (record) expectOnce(record, await scene.events('killed'));
  node.step(0);
}

/** Certificates are backdated by a day. That this is refused shows too that the clock reaches those who look at them. */
async function dayBehind(scene: Standalone): Promise<void> {
  const { node } = scene.clocks;
  node.step(-25 * HOUR_MS);
  const machine = await scene.real('behind', [WAIT]);
  await eventually(
    'the reason in the log',
    () => /its certificate is (?:not valid yet|valid from).*clock/.test(machine.log) || undefined,
  );
  assert.equal((await scene.find('behind'))?.spec.instance, undefined);
  node.step(0);
  machine.open();
  await scene.phaseIs('behind', 'Succeeded');
  const [record, events] = [await scene.find('behind'), await scene.events('behind')];
  if (record) expectOnce(record, events);
  expectWhole('behind', events, 1);
}
