import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { rememberSecrets } from '../../../secrets/remembered.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { noteRequest, noteTimer } from '../../report/state/reporting-state.ts';
import { readReporting, reportingText } from './reporting-status.ts';

const FILE = '/run/slipway/reporting.json';
let folder: string;
let host: Host;
let now: string;

beforeEach(() => {
  folder = scratch();
  now = '2026-01-02T03:04:05.678Z';
  const real = createLinuxHost({ root: folder });
  host = { ...real, clock: { ...real.clock, now: () => new Date(now) } };
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o600 });
}

const asked = (outcome: object) =>
  noteRequest(host, {
    ...{
      endpoint: 'https://user:pass@slipway.example:9443/',
      certifiedUntil: Date.parse('2026-01-09T00:00:00Z'),
    },
    ...outcome,
  });
const text = async () => {
  const reporting = await readReporting(host);
  return reporting && reportingText(reporting);
};

describe('the line Reporting', () => {
  it('is not there where no controller is named', async () => {
    expect(await text()).toBeUndefined();
    put('/etc/slipway/config.yaml', 'report:\n  webhook:\n    url: https://hooks.example\n');
    expect(await text()).toBeUndefined();
  });

  it('says where it will be told, and where to look, before anything was', async () => {
    put('/etc/slipway/config.yaml', 'report:\n  controller:\n    endpoints: [https://slipway.example]\n');
    expect(await text()).toBe(
      'Reporting   to https://slipway.example; it has acknowledged nothing since this boot; journalctl -t slipway-report says why\n',
    );
  });

  it('says what was acknowledged, and what is wrong since when, until it works again', async () => {
    await asked({ seq: 41 });
    expect(await text()).toBe(
      'Reporting   to https://slipway.example:9443; it has acknowledged event 41, at 2026-01-02T03:04:05Z\n',
    );
    now = '2026-01-02T04:00:00.000Z';
    await asked({ failure: 'no answer within 20 s' });
    now = '2026-01-02T05:00:00.000Z';
    await asked({ failure: 'connection refused' });
    expect(
      await text(),
    ).toBe(`Reporting   to https://slipway.example:9443; it has acknowledged event 41, at 2026-01-02T03:04:05Z
            since 2026-01-02T04:00:00Z: connection refused
`);
    await asked({ seq: 42 });
    expect(await text()).toMatch(/event 42, at 2026-01-02T05:00:00Z\n$/);
  });

  it('says when the next check-in is, as long as the controller wants one', async () => {
    await asked({ seq: 42, checkIn: { wish: { everySeconds: 300 }, isAnswer: false } });
    expect(await text()).toMatch(/; the next check-in is before 2026-01-02T03:10:05Z\n$/);
    now = '2026-01-02T03:09:00.000Z';
    await asked({ checkIn: { wish: { everySeconds: 3600 }, isAnswer: true } });
    expect(await text()).toMatch(
      /event 42, at 2026-01-02T03:04:05Z; the next .* before 2026-01-02T04:09:00Z\n$/,
    );
    await asked({ failure: 'no answer' });
    expect(await text()).toMatch(/before 2026-01-02T04:09:00Z\n +since 2026-01-02T03:09:00Z: no answer\n$/);
    await asked({ checkIn: { wish: undefined, isAnswer: true } });
    expect(await text()).not.toContain('check-in');
    expect(await readReporting(host)).toEqual({
      to: ['https://slipway.example:9443'],
      acknowledged: { seq: 42, at: '2026-01-02T03:04:05.678Z' },
      certifiedUntil: '2026-01-09T00:00:00.000Z',
    });
  });

  it('says that no check-in comes where the image has no timer', async () => {
    await asked({ seq: 42, checkIn: { wish: { everySeconds: 300 }, isAnswer: false } });
    now = '2026-01-02T03:23:00.000Z';
    expect(await text()).toMatch(
      /05Z\n +no check-in since 2026-01-02T03:04:05Z, though the controller wants them: systemctl status slipway-checkin\.path\n$/,
    );
    await noteTimer(host);
    expect(await text()).toMatch(/the next check-in is before 2026-01-02T03:29:00Z\n$/);
  });

  it('comes of a file that everybody may read and that holds no secret', async () => {
    rememberSecrets(['abcdef.0123456789abcdef']);
    await asked({ failure: 'the token abcdef.0123456789abcdef\u001b[2J is refused' });
    expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o644);
    const { trouble } = (await readReporting(host)) ?? {};
    for (const hidden of ['abcdef.', '\u001b']) expect(trouble?.message).not.toContain(hidden);
    expect(JSON.stringify(await readReporting(host))).not.toContain('pass');
  });

  it('does without a file that is damaged or cannot be written', async () => {
    for (const damaged of ['', '{', '[]', '{"endpoint":7}']) {
      put(FILE, damaged);
      expect(await text()).toBeUndefined();
    }
    rmSync(join(folder, 'run'), { recursive: true });
    put('/run', 'a file where a folder should be');
    await asked({ seq: 1 });
    expect(await text()).toBeUndefined();
  });

  it('fits a narrow terminal', async () => {
    await asked({ seq: 42, failure: 'x '.repeat(60).trim() });
    const reporting = await readReporting(host);
    const lines = reporting ? reportingText(reporting, 60).trimEnd().split('\n') : [];
    expect(lines.every((line) => line.length <= 60)).toBe(true);
    expect(lines.length).toBeGreaterThan(3);
  });
});
