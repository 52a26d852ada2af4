import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrapEvents, type SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import type { Scene } from './scene.ts';

/** Reports of the machine, about twenty a second; each changes its verdict. */
const REPORTS = 200;
/** A bootstrap on its worst day, and a write more for each five seconds that this lasts. */
const MOST_WRITES = { atOnce: 60, everyMs: 5_000 };
/** Of the condition: six at once, then one a minute at most. */
const MOST_VERDICTS = { atOnce: 10, everyMs: 60_000 };

/** So many requests for what was sealed are answered at once; a machine that waits for it asks each five seconds. */
const AT_ONCE = 20;

/** The right machine that turned hostile: it asks for sealed user data without end, each time a read of a Secret. */
export async function asks({ cluster, machine, say }: Scene): Promise<void> {
  await cluster.createMachine('asks', { token: true });
  const greedy = machine({ hostname: 'asks' });
  await greedy.enrol(await cluster.machineToken('asks'));
  const ask = () => greedy.post('/v1/release', { version: 1, machine: greedy.identity });
  let answered = 0;
  let answer = await ask();
  for (; answer.status === 404; answer = await ask()) {
    answered += 1;
    assert.ok(answered < 1_000, 'it is never told to wait');
  }
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers['retry-after']) > 0, 'it is not said when to come again');
  assert.ok(answered >= AT_ONCE, `only ${answered} were answered`);
  say('a machine that asks for what was sealed without end is told to wait');
}

/** The right machine that turned hostile: it says all the time that it failed, why, and that it goes on. */
export async function flood({ cluster, machine, say }: Scene): Promise<void> {
  await cluster.createMachine('floods', { token: true });
  const floods = machine({ hostname: 'floods' });
  await floods.enrol(await cluster.machineToken('floods'));
  const reasons = new Set<string>();
  const [fact, started] = bootstrapEvents(20);
  if (fact?.type !== 'fact' || started?.type !== 'sequence.started')
    throw new Error('no bootstrap begins so');
  const answers: number[] = [];
  let waitMs = 0;
  const began = performance.now();
  for (let at = 0; at < REPORTS; at += 1) {
    floods.tell({ ...started, resumed: at > 0 });
    floods.tell({
      ...{ type: 'agent.lost', sequence: started.sequence, how: 'killed', pid: 42 },
      failure: { code: `Code${at}`, cause: '字'.repeat(300), remedy: 'r' },
    });
    const { status, headers } = await send(floods);
    answers.push(status);
    if (status === 429) waitMs = Number(headers['retry-after']) * 1000;
    reasons.add((await cluster.condition('floods'))?.reason ?? '');
  }
  const stored = answers.filter((status) => status === 200).length;
  const tookMs = performance.now() - began;
  const most = ({ atOnce, everyMs }: typeof MOST_WRITES) => atOnce + Math.floor(tookMs / everyMs);
  assert.ok(stored >= 20 && stored <= most(MOST_WRITES), `${stored} of ${REPORTS} reports were written`);
  assert.deepEqual(new Set(answers), new Set([200, 429]));
  assert.ok(waitMs > 0, 'it is not said when to come again');
  assert.ok(reasons.size <= most(MOST_VERDICTS), `the condition had ${reasons.size} reasons`);
  const told = JSON.parse(
    await cluster.api.kubectl([
      ...['--namespace=default', 'get', 'events', '--output=json'],
      '--field-selector=involvedObject.name=floods',
    ]),
  );
  assert.ok(told.items.length <= most(MOST_VERDICTS), `${told.items.length} Events`);
  say(`${REPORTS} verdicts of one machine: ${stored} writes, ${told.items.length} Events`);

  // What it has is not lost, and the latest is what counts.
  floods.tell({
    ...{ type: 'sequence.ended', sequence: started.sequence, mode: 'bootstrap' },
    ...{ result: 'succeeded', exitStatus: 0, ms: 9 },
  });
  const made = floods.seq;
  for (const end = performance.now() + 600_000; floods.spool.length > 0; ) {
    assert.ok(performance.now() < end, `${floods.spool.length} events are not taken`);
    const { status, headers } = await send(floods);
    if (status === 429) await sleep(Number(headers['retry-after']) * 1000);
  }
  const { status } = await cluster.node('floods');
  assert.deepEqual([status?.phase, status?.seq, status?.lost], ['Succeeded', made, 0]);
  say('what was refused is stored later, whole and in order');
}

async function send(machine: SimulatedMachine) {
  const answer = await machine.post('/v1/events', machine.batch(machine.spool.slice(0, 128)));
  if (answer.status === 200) {
    const { stored } = JSON.parse(answer.body) as { stored: number };
    machine.spool = machine.spool.filter(({ seq }) => seq > stored);
  }
  return answer;
}
