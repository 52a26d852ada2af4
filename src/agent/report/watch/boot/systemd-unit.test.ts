import { expect, it } from 'vitest';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { unitOutput } from './systemd-unit.ts';

/** A machine whose journalctl does that; what it was asked is noted. */
async function outputWhere(does: { sync?: 'hangs'; show?: 'hangs' | 'empty' | 'late' }) {
  const real = createLinuxHost();
  const asked: string[] = [];
  const said = (stdout: string, timedOut = false) => ({
    ...{ exitStatus: timedOut ? 124 : 0, stdout, stderr: '', timedOut, ms: 1 },
  });
  const host = {
    ...real,
    clock: { ...real.clock, sleep: async () => undefined },
    processes: {
      ...real.processes,
      run: async ({ argv }: { argv: readonly string[] }) => {
        const what = argv.includes('--sync') ? 'sync' : 'show';
        asked.push(what);
        if (does[what] === 'hangs') return said('', true);
        const isLate = does.show === 'late' && asked.filter((one) => one === 'show').length < 3;
        return said(what === 'sync' || does.show === 'empty' || isLate ? '' : 'kubeadm failed\n');
      },
    },
  };
  return { output: await unitOutput(host, 'i'), asked: asked.join(' ') };
}

it('has the journal written out before it is read', async () => {
  expect(await outputWhere({})).toEqual({ output: 'kubeadm failed\n', asked: 'sync show' });
});

it('looks again where nothing is there yet', async () => {
  const again = 'sync show sync show sync show';
  expect(await outputWhere({ show: 'late' })).toEqual({ output: 'kubeadm failed\n', asked: again });
});

it('waits once for a journal that hangs', async () => {
  expect((await outputWhere({ sync: 'hangs' })).asked).toBe('sync show');
  expect((await outputWhere({ sync: 'hangs', show: 'empty' })).asked).toBe(`sync${' show'.repeat(12)}`);
  expect(await outputWhere({ sync: 'hangs', show: 'hangs' })).toEqual({ output: '', asked: 'sync show' });
});
