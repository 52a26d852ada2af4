import { strict as assert } from 'node:assert';
import type { EventBody, MachineIdentity } from '../../../../src/protocol/events.ts';
import { readEvent } from '../../../../src/protocol/read-events.ts';
import { bootstrapEvents } from '../../../support/controller/simulated-machine.ts';
import { BODIES } from '../../../support/sample-events.ts';
import type { Scene } from '../scene.ts';

/** As long as a name on the wire may be, in what counts otherwise elsewhere, or in what means something to whom it passes. */
const TEXTS = [
  ...['a'.repeat(253), 'b'.repeat(256), '字'.repeat(256), '😀'.repeat(128), `a${'\u0301'.repeat(255)}`],
  ...[' ', '\u0000', '\n', '/../~0~1', '"\\\'`$(x)%s', '__proto__', '\uffff\ufffe'],
];
/** Of what may be longer: most of an event, by bytes. */
const LONG = [...TEXTS, 'x'.repeat(2_000), '字'.repeat(600)];
const NUMBERS = [0, 65_535, Number.MAX_SAFE_INTEGER];

/** The right machine, with names and values of any length and kind: all that is taken is stored, and nothing is tried for ever. */
export async function limits(scene: Scene): Promise<void> {
  await names(scene);
  await values(scene);
}

async function names({ machine, poolToken, say }: Scene): Promise<void> {
  const token = await poolToken();
  for (const field of ['instance', 'hostname', 'providerID'] as const)
    for (const [at, text] of TEXTS.entries()) {
      const one = machine({ from: `127.0.11.${at + 1}` });
      // Two instances of one name would be one machine.
      const named: Partial<MachineIdentity> = { [field]: text };
      Object.assign(one.identity, named);
      await one.enrol(token);
      for (const body of bootstrapEvents(20)) one.tell(body);
      await one.report();
      assert.equal(one.spool.length, 0, `${field} ${JSON.stringify(text)}`);
      one.show(await one.renew());
      one.hangUp();
    }
  say(
    `machines enrol, report and renew with ${TEXTS.length} instances, host names and provider IDs of any kind`,
  );
}

async function values({ cluster, machine, say }: Scene): Promise<void> {
  await cluster.createMachine('limits', { token: true });
  const one = machine({ hostname: 'limits' });
  await one.enrol(await cluster.machineToken('limits'));
  for (const body of BODIES)
    for (const changed of variants(body)) {
      const event = one.tell(changed);
      if (isTaken(event)) continue;
      one.spool.pop();
      one.seq -= 1;
    }
  const made = one.seq;
  // What waits until there is more to write is written with the verdict.
  for (const body of bootstrapEvents(20, true)) one.tell(body);
  while (one.spool.length > 0) await one.report();
  const { status } = await cluster.node('limits');
  assert.equal(status?.seq, one.seq);
  assert.equal((await cluster.conditionIs('limits', 'False')).reason, 'ApiServerUnreachable');
  say(`${made} events with a text or number at its limit are stored`);
}

/** The same event with one text or number changed, for each of them. */
function variants(body: object): EventBody[] {
  return Object.entries(body).flatMap(([key, value]): object[] => {
    if (key === 'type') return [];
    if (typeof value === 'string') return LONG.map((text) => ({ ...body, [key]: text }));
    if (typeof value === 'number') return NUMBERS.map((number) => ({ ...body, [key]: number }));
    if (typeof value !== 'object' || value === null) return [];
    return variants(value).map((inner) => ({
      ...body,
      [key]: Array.isArray(value) ? Object.values(inner) : inner,
    }));
  }) as EventBody[];
}

function isTaken(event: object): boolean {
  try {
    readEvent(JSON.parse(JSON.stringify(event)));
    return true;
  } catch {
    return false;
  }
}
