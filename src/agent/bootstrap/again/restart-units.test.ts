import { expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { UnitEntry } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { restarting, restartingByFiles } from './restart-units.ts';

const unit = (name: string, content: string, dropIn?: string): UnitEntry => ({
  ...{ name, content: sensitive(content) },
  dropIns: dropIn === undefined ? [] : [{ name: 'a.conf', content: sensitive(dropIn) }],
});
const STEP = {
  spec: {
    entries: [
      unit('same.service', 'one', 'two'),
      unit('other.service', 'two'),
      unit('lower.service', 'one', 'other'),
      unit('new.service', 'one'),
    ],
  },
} as unknown as PlannedStep;
const THERE: Readonly<Record<string, string>> = {
  'same.service': 'one',
  'same.service.d/a.conf': 'two',
  'other.service': 'one',
  'lower.service': 'one',
  'lower.service.d/a.conf': 'two',
};

/** What systemd is asked, and what a person is told, where the step ends so. */
async function restarts(
  result: StepResult,
  more: { exitStatus?: number; hasSystemd?: boolean; by?: typeof restarting; step?: PlannedStep } = {},
) {
  const { exitStatus = 0, hasSystemd = true, by = restarting, step = STEP } = more;
  const real = createLinuxHost();
  const there: Record<string, string> = { ...THERE };
  const calls: string[] = [];
  const told: string[] = [];
  const context = {
    signal: new AbortController().signal,
    finding: async ({ code, message }: { code: string; message: string }) =>
      void told.push(`${code} ${message}`),
    host: {
      ...real,
      files: {
        ...real.files,
        stat: async (path: string) => (path === '/run/systemd/system' && hasSystemd ? {} : undefined),
        readIfPresent: async (path: string) => {
          const text = there[path.replace('/etc/systemd/system/', '')];
          return text === undefined ? undefined : Buffer.from(text);
        },
      },
      processes: {
        ...real.processes,
        run: async ({ argv }: { argv: string[] }) => {
          calls.push(argv.join(' '));
          return { exitStatus, stdout: '', stderr: 'Trace\nnot today', timedOut: false, ms: 1 };
        },
      },
    },
  } as unknown as StepContext;
  const work = {
    run: async () => {
      // Afterwards nothing says any more which ones were other.
      Object.assign(there, {
        'other.service': 'two',
        'lower.service.d/a.conf': 'other',
        'new.service': 'one',
        'template@.service.d/a.conf': 'one',
        'slipway.service.d/a.conf': 'one',
        'data.mount': 'one',
      });
      return result;
    },
  };
  expect(await by(step, work).run(context)).toBe(result);
  return { calls, told };
}

const DONE: StepResult = { done: true, message: 'written' };

it('restarts units that run with another text, or another drop-in, than they have now', async () => {
  expect(await restarts(DONE)).toEqual({
    calls: ['other.service', 'lower.service', 'new.service'].map(
      (name) => `systemctl try-restart -- ${name}`,
    ),
    told: [],
  });
});

it('says which unit was not restarted, and why', async () => {
  const { told } = await restarts(DONE, { exitStatus: 1 });
  expect(told[0]).toBe('UnitNotStarted other.service was not restarted: not today');
  expect(told).toHaveLength(3);
});

it('restarts nothing where the units were not written, or no systemd runs', async () => {
  const failed = { done: false, retry: 'no' } as unknown as StepResult;
  expect((await restarts(failed)).calls).toEqual([]);
  expect((await restarts(DONE, { hasSystemd: false })).calls).toEqual([]);
});

it.each(['entries', 'files'])(
  'restarts what runs by a unit file that %s write, once systemd has read it',
  async (key) => {
    const names = [
      ...[
        'same.service',
        'same.service.d/a.conf',
        'other.service',
        'lower.service',
        'lower.service.d/a.conf',
      ],
      ...['template@.service.d/a.conf', 'slipway.service.d/a.conf', 'data.mount'],
    ];
    const written = [...names.map((name) => `/etc/systemd/system/${name}`), '/etc/motd'].map((path) => ({
      path,
    }));
    const step = { spec: { [key]: written } } as unknown as PlannedStep;
    expect((await restarts(DONE, { by: restartingByFiles, step })).calls).toEqual([
      'systemctl daemon-reload',
      ...['other.service', 'lower.service', 'template@*.service'].map(
        (name) => `systemctl try-restart -- ${name}`,
      ),
    ]);
  },
);
