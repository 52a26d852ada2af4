import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReportReceiver } from '../../../../test/support/controller/report-receiver.ts';
import { onDisk } from '../../../../test/support/full-disk.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { RecordBody } from '../../../protocol/journal.ts';
import { CHECKIN_FILE } from '../../document/paths.ts';
import { Journal } from '../../engine/journal.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { report } from '../reporter.ts';
import { checkIn } from './check-in.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const BOOT = '11111111-2222-3333-4444-555555555555';
const MINUTE_MS = 60_000;
const step = { id: 'kubeadm join', title: 'kubeadm join', digest: 'd' };
const RECORDS: RecordBody[] = [
  { type: 'run.started', run: 'r-1', instance: 'i-1', mode: 'bootstrap', agent: '0.1.0', pid: 1 },
  {
    ...{ type: 'sequence.started', run: 'r-1', sequence: 's-1', digest: 'd', steps: [step] },
    ...{ deadlineSeconds: 900, resumed: false },
  },
  { type: 'step.started', step: step.id, digest: 'd', attempt: 1 },
  { type: 'step.ended', step: step.id, digest: 'd', attempt: 1, result: 'done', ms: 10 },
  { type: 'sequence.ended', run: 'r-1', sequence: 's-1', result: 'succeeded', exitStatus: 0, ms: 20 },
];

let folder: string;
let receiver: ReportReceiver;
let log: string[];
/** How much time has passed. */
let later: number;
let boot: string;
let started: number;
/** The disk takes no more files. */
let isFull: boolean;

beforeEach(async () => {
  folder = scratch();
  receiver = new ReportReceiver();
  receiver.tokens.add(TOKEN);
  receiver.everySeconds = 300;
  await receiver.start();
  [log, later, boot, started, isFull] = [[], 0, BOOT, 0, false];
  put('/var/lib/cloud/data/instance-id', 'i-1\n');
  settings();
});
afterEach(() => receiver.stop());

const at = (path: string) => join(folder, path);
function put(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content, { mode: 0o600 });
}

function settings(idleTimeout = '1s'): void {
  const ca = receiver.ca.replace(/^/gm, '      ');
  put(
    '/etc/slipway/config.yaml',
    `report:\n  console: "off"\n  journal: "off"\n  hyperv: "off"\n  vmware: "off"\n  nodeTimeout: 0s\n  idleTimeout: ${idleTimeout}\n` +
      `  controller:\n    endpoints: [${receiver.url}]\n    token: ${TOKEN}\n    ca: |\n${ca}\n`,
  );
}

function host(): Host {
  const real = createLinuxHost({ root: folder });
  return {
    ...real,
    files: onDisk(real.files, () => isFull),
    bootId: async () => boot,
    hostname: () => 'node-1',
    clock: { ...real.clock, monotonic: () => real.clock.monotonic() + later },
  };
}

const options = () => ({
  ...{ host: host(), version: '1.2.3', log: (line: string) => log.push(line) },
  stop: new AbortController().signal,
});

/** What slipway-report.service does. */
const reportNow = () => report(options());

const checkInNow = () =>
  checkIn({
    ...options(),
    startReporter: async () => {
      started += 1;
      return undefined;
    },
  });

/** A bootstrap is over and told. */
async function told(): Promise<void> {
  const journal = await Journal.open(host());
  for (const record of RECORDS) await journal.append(record);
  await journal.close();
  expect(await reportNow()).toMatch(/bootstrapped/);
  expect(receiver.stored.some(({ type }) => type === 'sequence.ended')).toBe(true);
}

const last = () => receiver.stored.at(-1)?.seq;

describe('a reporter that has told everything', () => {
  it('leaves a file by which systemd checks in, for root alone, as long as the controller wants it', async () => {
    await told();
    expect(JSON.parse(readFileSync(at(CHECKIN_FILE), 'utf8'))).toEqual({
      instance: 'i-1',
      everySeconds: 300,
    });
    expect(statSync(at(CHECKIN_FILE)).mode & 0o777).toBe(0o600);
    receiver.everySeconds = undefined;
    boot = 'another';
    await reportNow();
    expect(existsSync(at(CHECKIN_FILE))).toBe(false);
  });

  it('waits for a check-in that is under way before it shows a certificate', async () => {
    const lock = await host().lock('reporter');
    const reporting = told();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.requests).toBe(0);
    if (!('heldBy' in lock)) await lock.release();
    await reporting;
  });

  it('ends soon, too, when it is started again in a boot of a machine that was a node before', async () => {
    await told();
    rmSync(at('/run/slipway'), { recursive: true });
    put('/etc/kubernetes/kubelet.conf', '');
    settings('30m');
    boot = '22222222-2222-3333-4444-555555555555';
    const hurry = setInterval(() => {
      later += 30_000;
    }, 50);
    try {
      for (let start = 1; start <= 2; start += 1) {
        later = 0;
        expect(await reportNow()).toMatch(/no bootstrap/);
        expect(later, `start ${start}`).toBeLessThan(10 * MINUTE_MS);
      }
    } finally {
      clearInterval(hurry);
    }
  });

  it('leaves none where nobody has asked', async () => {
    receiver.everySeconds = undefined;
    await told();
    expect(existsSync(at(CHECKIN_FILE))).toBe(false);
  });
});

describe('a check-in', () => {
  it('says what was acknowledged, in one request, and nothing else where nothing is lacking', async () => {
    await told();
    const before = receiver.requests;
    log = [];
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toEqual([last()]);
    expect(receiver.requests).toBe(before + 1);
    expect([log, started]).toEqual([[], 0]);
    const state = JSON.parse(readFileSync(at('/run/slipway/reporting.json'), 'utf8'));
    expect(state).toMatchObject({
      ...{ endpoint: receiver.url, acknowledged: { seq: last() } },
      checkIn: { everySeconds: 300, answeredAt: expect.any(String) },
    });
    expect(state).not.toHaveProperty('trouble');
  });

  it('ends when the controller wants no more, and where it answers none', async () => {
    await told();
    receiver.everySeconds = undefined;
    expect(await checkInNow()).toBe('done');
    expect(existsSync(at(CHECKIN_FILE))).toBe(false);
    expect(log.at(-1)).toMatch(/no longer requests check-ins/);
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toHaveLength(1);
    put(CHECKIN_FILE, JSON.stringify({ instance: 'i-1', everySeconds: 300 }));
    receiver.mood = () => ({ status: 404, body: { error: 'not-found' } });
    expect(await checkInNow()).toBe('done');
    expect(existsSync(at(CHECKIN_FILE))).toBe(false);
  });

  it('does not ask before it is due, whatever the timer does', async () => {
    receiver.everySeconds = 3600;
    await told();
    for (let minute = 0; minute < 120; minute += 5) {
      later = minute * MINUTE_MS;
      expect(await checkInNow()).toBe('done');
    }
    expect(receiver.checkedIn).toHaveLength(2);
  });

  it('leaves it to a reporter that is at work', async () => {
    await told();
    const lock = await host().lock('reporter');
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toEqual([]);
    if (!('heldBy' in lock)) await lock.release();
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toHaveLength(1);
  });

  it('does nothing for an image of a machine that was asked to, and takes the file away', async () => {
    await told();
    put('/var/lib/cloud/data/instance-id', 'i-2\n');
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toEqual([]);
    expect(existsSync(at(CHECKIN_FILE))).toBe(false);
  });

  it('renews the certificate when that is due, and shows the new one', async () => {
    await told();
    const before = readFileSync(at('/var/lib/slipway/identity/client.crt'), 'utf8');
    later = 41 * MINUTE_MS;
    expect(await checkInNow()).toBe('done');
    expect(readFileSync(at('/var/lib/slipway/identity/client.crt'), 'utf8')).not.toBe(before);
    expect(receiver.checkedIn).toHaveLength(1);
  });

  it('uses no certificate that the disk refuses: the one on the disk would pass for that of a copy', async () => {
    await told();
    const { serialNumber } = new X509Certificate(readFileSync(at('/var/lib/slipway/identity/client.crt')));
    const shown: (string | undefined)[] = [];
    receiver.mood = ({ serial }) => void shown.push(serial);
    later = 41 * MINUTE_MS;
    isFull = true;
    for (let time = 0; time < 2; time += 1) {
      later += 5 * MINUTE_MS;
      expect(await checkInNow()).toBe('done');
    }
    expect(log.join()).toMatch(/could not be renewed: .*no space left/);
    // Nothing but the check-ins, by the certificate that is on the disk.
    expect(shown).toEqual([serialNumber, serialNumber]);
    isFull = false;
    expect(await checkInNow()).toBe('done');
    expect(shown.at(-1)).not.toBe(serialNumber);
  });

  it('spends no token for a key that the disk refuses', async () => {
    await told();
    rmSync(at('/var/lib/slipway/identity'), { recursive: true });
    receiver.tokens.add(TOKEN);
    isFull = true;
    expect(await checkInNow()).toBe('later');
    expect(log.at(-1)).toMatch(/no space left/);
    expect(receiver.enrolled).toHaveLength(1);
    isFull = false;
    expect(await checkInNow()).toBe('done');
    expect(receiver.enrolled).toHaveLength(2);
  });

  it('says in one sentence why it failed, and whether another time may do', async () => {
    await told();
    log = [];
    receiver.mood = () => ({ status: 503, body: { error: 'unavailable' } });
    expect(await checkInNow()).toBe('later');
    expect(log).toEqual([expect.stringMatching(/^the check-in at localhost:\d+ failed: .* status 503$/)]);
    const state = JSON.parse(readFileSync(at('/run/slipway/reporting.json'), 'utf8'));
    expect(state.trouble.message).toMatch(/status 503/);
    receiver.mood = () => ({ status: 403, body: { error: 'forbidden', words: 'It was quarantined.' } });
    expect(await checkInNow()).toBe('refused');
    expect(log.at(-1)).toMatch(/It was quarantined/);
    receiver.mood = () => ({ status: 200, body: { version: 1, wants: 'the moon' } });
    expect(await checkInNow()).toBe('later');
    receiver.mood = () => ({ status: 401, body: { error: 'unauthorized' } });
    expect(await checkInNow()).toBe('refused');
    await receiver.stop();
    expect(await checkInNow()).toBe('later');
    await receiver.start();
    expect(existsSync(at(CHECKIN_FILE))).toBe(true);
    receiver.mood = () => undefined;
    expect(await checkInNow()).toBe('done');
  });
});

describe('a controller that lacks what it has acknowledged', () => {
  /** Its record was made anew: it has nothing of this machine but the key. */
  async function forgotten(): Promise<void> {
    receiver.stored.length = 0;
    receiver.wants = 'events';
    expect(await checkInNow()).toBe('done');
    expect(started).toBe(1);
    receiver.wants = 'nothing';
  }

  it('is told again by the reporter, each event with its number', async () => {
    await told();
    const before = receiver.stored.map((event) => ({ ...event }));
    await forgotten();
    await reportNow();
    expect(receiver.stored).toEqual(before);
    expect(await checkInNow()).toBe('done');
    expect(receiver.checkedIn).toEqual([last(), last()]);
  });

  it('is told again what an earlier boot has told, by a reporter that soon ends', async () => {
    await told();
    const before = receiver.stored.map((event) => ({ ...event }));
    rmSync(at('/run/slipway'), { recursive: true });
    put('/etc/kubernetes/kubelet.conf', '');
    boot = '22222222-2222-3333-4444-555555555555';
    await reportNow();
    expect(receiver.stored.length).toBeGreaterThan(before.length);
    const all = receiver.stored.map((event) => ({ ...event }));
    await forgotten();
    await reportNow();
    expect(receiver.stored).toEqual(all);
  });

  it('that goes on wanting them gets them once an hour', async () => {
    await told();
    receiver.wants = 'events';
    for (let minute = 0; minute < 120; minute += 5) {
      later = minute * MINUTE_MS;
      expect(await checkInNow()).toBe('done');
      await reportNow();
    }
    expect(started).toBe(2);
    expect(log.join('\n')).toMatch(/resent 5m .* ago; they are resent at most once an hour/);
  });

  it('is told anew by the journal what the spool has lost', async () => {
    await told();
    const { length } = receiver.stored;
    rmSync(at('/var/lib/slipway/report/spool.jsonl'));
    rmSync(at('/run/slipway/report'), { recursive: true, force: true });
    receiver.stored.length = 0;
    receiver.wants = 'events';
    expect(await checkInNow()).toBe('done');
    await reportNow();
    expect(receiver.stored.some(({ type }) => type === 'sequence.ended')).toBe(true);
    // Nothing that was told before has these numbers.
    expect(receiver.stored.every(({ seq }) => seq > length)).toBe(true);
  });

  it('wants nothing more of a machine that has nothing left', async () => {
    await told();
    for (const path of ['/var/lib/slipway/report/spool.jsonl', '/var/lib/slipway/journal.jsonl'])
      rmSync(at(path));
    receiver.stored.length = 0;
    receiver.wants = 'events';
    expect(await checkInNow()).toBe('done');
    await reportNow();
    expect(receiver.stored.some(({ type }) => type === 'sequence.ended')).toBe(false);
    receiver.wants = 'nothing';
    expect(await checkInNow()).toBe('done');
    // It says that it has told what the controller has, and no more.
    expect(receiver.checkedIn).toHaveLength(2);
    expect(receiver.checkedIn.at(-1)).toBe(last());
  });
});
