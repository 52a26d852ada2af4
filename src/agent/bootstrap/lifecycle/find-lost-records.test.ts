import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { RecordBody } from '../../../protocol/journal.ts';
import { JOURNAL, SENTINEL } from '../../document/paths.ts';
import { Journal } from '../../engine/journal.ts';
import type { Step } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { findLostRecords } from './find-lost-records.ts';

const run = (instance: string): RecordBody[] => [
  { type: 'run.started', run: 'r', instance, mode: 'bootstrap', agent: '0', pid: 1 },
  {
    ...{ type: 'sequence.started', run: 'r', sequence: 's', digest: 'd', deadlineSeconds: 9, resumed: false },
    steps: [{ id: 'kubeadm', title: 'kubeadm join', digest: 'k' }],
  },
  { type: 'step.started', step: 'kubeadm', digest: 'k', attempt: 1 },
];
const ended = (result: 'done' | 'failed'): RecordBody => ({
  ...{ type: 'step.ended', step: 'kubeadm', digest: 'k', attempt: 1, ms: 5, result },
});

describe('what the journal has lost', () => {
  let host: Host;
  beforeEach(() => {
    host = createLinuxHost({ root: scratch() });
  });

  const lost = async (records: RecordBody[], { isUnderWay = false, damage = '' } = {}) => {
    await host.files.mkdir('/var/lib/slipway', 0o700);
    if (damage !== '') await host.files.write(JOURNAL, damage);
    const journal = await Journal.open(host);
    for (const record of records) await journal.append(record);
    await journal.close();
    const step: Step = {
      ...{ id: 'kubeadm', title: 'kubeadm join', digest: 'k', attempts: 1 },
      run: async () => ({ done: true }),
      isUnderWay: async () => isUnderWay,
    };
    return findLostRecords(host, journal, [step], { isWiped: false, instance: 'i' });
  };

  it.each([
    ['is gone', []],
    ['ends in the middle of kubeadm', run('i')],
  ])('is what the sentinel shows, where it %s', async (_, records) => {
    expect(await lost(records)).toBeUndefined();
    await host.files.write(SENTINEL, 'success\n');
    const what = expect.stringContaining('the success that the sentinel shows');
    expect(await lost([])).toEqual({ what, wasOver: true });
    expect(await lost([], { isUnderWay: true })).toBeUndefined();
  });

  it.each(['done', 'failed'] as const)(
    'is nothing where it knows that kubeadm has ended: %s',
    async (result) => {
      await host.files.write(SENTINEL, 'success\n');
      expect(await lost([...run('i'), ended(result)])).toBeUndefined();
    },
  );

  it('is nothing where kubeadm was called for other user data', async () => {
    await host.files.write(SENTINEL, 'success\n');
    const before = { ...ended('done'), digest: 'another' } as RecordBody;
    expect(await lost([...run('i').slice(0, 2), before])).toBeUndefined();
  });

  it('is nothing where it is that of another machine', async () => {
    await host.files.write(SENTINEL, 'success\n');
    expect(await lost(run('another'))).toBeUndefined();
  });

  it.each([
    ['was under way', false],
    ['had succeeded', true],
  ])('is what cannot be read, where kubeadm %s', async (_, hasSucceeded) => {
    if (hasSucceeded) await host.files.write(SENTINEL, 'success\n');
    const what = expect.stringMatching(/^\d+ bytes of the journal could not be read$/);
    expect(await lost(run('i'), { damage: 'no record\n'.repeat(2) })).toEqual({
      what,
      wasOver: hasSucceeded,
    });
  });
});
