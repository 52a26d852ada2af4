import { strict as assert } from 'node:assert';
import type { EventBody } from '../../../../src/protocol/events.ts';
import type { Scene } from '../scene.ts';

const HIDDEN = '\u200b\u202e\ufeff\u{e0041}\u{e007f}\u3164\u2066';

/** A machine that tells nothing, or what nobody sees: all of it is taken, and people read something. */
export async function texts({ cluster, machine, say }: Scene): Promise<void> {
  await cluster.createMachine('mute', { token: true });
  const mute = machine({ hostname: 'mute' });
  await mute.enrol(await cluster.machineToken('mute'));
  const sequence = 's';
  const step = { id: 'kubeadm-join', title: 'kubeadm join' };
  const failed = (cause: string, remedy: string): EventBody[] => [
    { type: 'sequence.started', sequence, mode: 'bootstrap', steps: [step], resumed: false },
    { type: 'step.progress', sequence, step, message: '' },
    { type: 'step.progress', sequence, step, message: HIDDEN },
    { type: 'fact', name: 'n', value: '' },
    {
      ...{ type: 'step.attempt', sequence, step, attempt: 1, ms: 1, retryInMs: 1 },
      failure: { code: 'Unclassified', cause, remedy, lines: [] },
    },
    {
      ...{
        type: 'sequence.ended',
        sequence,
        mode: 'bootstrap',
        result: 'failed',
        exitStatus: 1,
        ms: 1,
        step,
      },
      failure: { code: 'Unclassified', cause, remedy, lines: [''] },
    },
  ];
  for (const body of failed('', '')) {
    mute.tell(body);
    await mute.report();
  }
  for (const body of failed('', HIDDEN)) mute.tell(body);
  await mute.report();
  assert.equal(mute.spool.length, 0);
  assert.match(
    (await cluster.conditionIs('mute', 'False')).message,
    /^It gave no cause\. Look at the console/,
  );
  for (const body of failed(`a${HIDDEN}b`, 'c')) mute.tell(body);
  await mute.report();
  const { status } = await cluster.node('mute');
  assert.equal(status?.failure?.cause, `a${' '.repeat([...HIDDEN].length)}b`);
  assert.doesNotMatch(JSON.stringify(status), /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  say('empty and invisible texts are taken, and people read something');
}
