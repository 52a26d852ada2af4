import { expect, it } from 'vitest';
import { createLinuxHost } from '../host/linux/host.ts';
import { unitOutput } from './systemd-unit.ts';

/** A machine whose journalctl does that; what it was asked is noted. */
async function outputWhere(does: { sync?: 'hangs'; show?: 'hangs' | 'empty' | 'late' | 'unnamed' }) {
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
        const what = argv.includes('--sync') ? 'sync' : argv.includes('--since') ? 'since' : 'show';
        asked.push(what);
        if (what === 'since') {
          expect(argv.slice(-2)).toEqual([expect.stringMatching(/^@\d{10}$/), '_SYSTEMD_UNIT=a.service']);
          return said(does.show === 'unnamed' ? 'kubeadm failed\n' : '');
        }
        if (does[what] === 'hangs') return said('', true);
        const isLate = does.show === 'late' && asked.filter((one) => one === 'show').length < 3;
        return said(
          what === 'sync' || does.show === 'empty' || does.show === 'unnamed' || isLate
            ? ''
            : 'kubeadm failed\n',
        );
      },
    },
  };
  return {
    output: await unitOutput(host, { unit: 'a.service', invocation: 'i', startedAt: real.clock.monotonic() }),
    asked: asked.join(' '),
  };
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
  expect((await outputWhere({ sync: 'hangs', show: 'empty' })).asked).toBe(`sync${' show'.repeat(12)} since`);
  expect(await outputWhere({ sync: 'hangs', show: 'hangs' })).toEqual({ output: '', asked: 'sync show' });
});

it('takes what the unit has printed since where journald does not know of which run that was', async () => {
  const { output, asked } = await outputWhere({ show: 'unnamed' });
  expect(output).toBe('kubeadm failed\n');
  expect(asked).toMatch(/show since$/);
});
