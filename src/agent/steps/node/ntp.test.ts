import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { NtpSettings } from '../../document/document.ts';
import type { StepContext, StepResult, StepWork } from '../../engine/step.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { openShared } from '../kind/shared.ts';
import { setUpTime } from './ntp.ts';

// A directory as the machine: what is decided and written. No service is run below a root.
let root: string;
beforeEach(() => {
  root = scratch();
});

const put = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
};
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const install = (program: string) => put(program, '#!/bin/sh\n', 0o755);

function stepFor(spec: Partial<NtpSettings> = {}): StepWork {
  const shared = openShared(
    createLinuxHost({ root }),
    { bootCommands: [], commands: [] },
    'i-1',
    () => undefined,
  );
  return setUpTime({ enabled: true, servers: ['time.example'], pools: [], ...spec }, shared);
}

function run(spec: Partial<NtpSettings> = {}): Promise<StepResult> {
  const host = createLinuxHost({ root });
  const context: StepContext = {
    host,
    attempt: 1,
    interrupted: false,
    signal: new AbortController().signal,
    remainingMs: () => 60_000,
    progress: async () => undefined,
    finding: async () => undefined,
    output: () => undefined,
  };
  return stepFor(spec).run(context);
}

it('says what is missing where no time service is installed', async () => {
  expect(await run()).toMatchObject({
    done: false,
    retry: 'no',
    failure: { code: 'TimeSyncNotSetUp', cause: expect.stringContaining('No time service is installed') },
  });
  expect(stepFor().onFailure).toBe('continue');
});

it('changes nothing when it is off, or asks for no servers', async () => {
  install('/usr/sbin/chronyd');
  put('/etc/chrony/chrony.conf', 'pool image.example\n');
  expect(await run({ enabled: false })).toMatchObject({ done: true });
  expect(await run({ servers: [] })).toMatchObject({ done: true, message: 'chrony configured' });
  expect(read('/etc/chrony/chrony.conf')).toBe('pool image.example\n');
  expect(existsSync(join(root, '/etc/chrony/chrony.conf.dist'))).toBe(false);
});

it('names peers, and with chrony whom it serves; without sources the image’s own stay', async () => {
  install('/usr/sbin/chronyd');
  install('/usr/sbin/ntpd');
  put('/etc/chrony/chrony.conf', 'pool image.example\nrtcsync\n');
  await run({ servers: [], allow: ['10.0.0.0/8'] });
  expect(read('/etc/chrony/chrony.conf')).toMatch(/\nallow 10\.0\.0\.0\/8\npool image\.example\nrtcsync\n$/);
  await run({ servers: [], peers: ['p.example'], allow: ['10.0.0.0/8'] });
  expect(read('/etc/chrony/chrony.conf')).toMatch(/\npeer p\.example\nallow 10\.0\.0\.0\/8\nrtcsync\n$/);
  put('/etc/ntpsec/ntp.conf', 'restrict default nomodify\n');
  await run({ peers: ['p.example'], allow: ['10.0.0.0/8'], client: 'ntp' });
  expect(read('/etc/ntpsec/ntp.conf')).toMatch(
    /\nserver time\.example iburst\npeer p\.example\nrestrict default nomodify\n$/,
  );
  expect(await run({ client: 'systemd-timesyncd' })).toMatchObject({
    failure: {
      code: 'TimeSyncNotSetUp',
      cause: expect.stringContaining('which the user data names'),
      remedy: expect.stringMatching(
        /^Put systemd-timesyncd into the image.*journalctl -u systemd-timesyncd\.$/,
      ),
    },
  });
});

it('prefers chrony, keeps the distribution’s file aside and changes nothing the second time', async () => {
  install('/usr/lib/systemd/systemd-timesyncd');
  install('/usr/sbin/chronyd');
  put('/etc/chrony.conf', 'pool image.example iburst\ndriftfile /var/lib/chrony/drift\n');
  expect(await run()).toMatchObject({ done: true });
  const once = read('/etc/chrony.conf');
  expect(once.split('\n').slice(1)).toEqual([
    'server time.example iburst',
    'driftfile /var/lib/chrony/drift',
    '',
  ]);
  expect(read('/etc/chrony.conf.dist')).toBe('pool image.example iburst\ndriftfile /var/lib/chrony/drift\n');
  expect(await run()).toMatchObject({ done: true });
  expect(read('/etc/chrony.conf')).toBe(once);

  expect(await run({ servers: ['other.example'] })).toMatchObject({ done: true });
  expect(read('/etc/chrony.conf')).toBe(once.replace('time.example', 'other.example'));
  expect(read('/etc/chrony.conf.dist')).toContain('pool image.example iburst');
});

it('gives timesyncd a drop-in of its own', async () => {
  install('/lib/systemd/systemd-timesyncd');
  expect(await run({ pools: ['pool.example'] })).toMatchObject({
    done: true,
    message: 'systemd-timesyncd configured',
  });
  expect(read('/etc/systemd/timesyncd.conf.d/cloud-init.conf')).toContain('NTP=time.example pool.example\n');
});

it('makes a configuration where the distribution has none', async () => {
  install('/usr/sbin/ntpd');
  mkdirSync(join(root, '/etc/ntpsec'), { recursive: true });
  expect(await run()).toMatchObject({ done: true });
  expect(read('/etc/ntpsec/ntp.conf')).toMatch(/\nserver time\.example iburst\ndriftfile .*\n$/);
});

it('writes the author’s own configuration to its place, and keeps the one that was there', async () => {
  install('/usr/sbin/ownd');
  put('/etc/own.conf', 'before\n');
  const own = {
    path: '/etc/own.conf',
    content: sensitive('mine\n'),
    program: 'ownd',
    packages: [],
    unit: 'own',
  };
  for (const _ of [1, 2]) {
    expect(await run({ client: 'own', own })).toMatchObject({ done: true, message: 'own configured' });
    expect([read('/etc/own.conf'), read('/etc/own.conf.dist')]).toEqual(['mine\n', 'before\n']);
  }
  install('/usr/sbin/chronyd');
  await run({ own: { path: '/etc/elsewhere.conf' } });
  expect(read('/etc/elsewhere.conf')).toMatch(/\nserver time\.example iburst\ndriftfile .*\n/);
  expect(existsSync(join(root, '/etc/chrony.conf'))).toBe(false);
});

it('keeps what lies at the author’s own place beside it, with its mode, for timesyncd too', async () => {
  install('/usr/lib/systemd/systemd-timesyncd');
  const path = '/etc/systemd/timesyncd.conf';
  put(path, 'before\n', 0o640);
  for (const _ of [1, 2]) {
    expect(await run({ client: 'systemd-timesyncd', own: { path } })).toMatchObject({ done: true });
    expect(read(path)).toMatch(/^\[Time\]\nNTP=time\.example$/m);
    expect(read(`${path}.dist`)).toBe('before\n');
    for (const each of [path, `${path}.dist`]) expect(statSync(join(root, each)).mode & 0o777).toBe(0o640);
  }
});

it('chooses by what is there where the author names a program and no service', async () => {
  install('/usr/sbin/ntpd');
  put('/etc/ntp.conf', 'driftfile x\n');
  expect(await run({ own: { program: '/usr/sbin/ntpd' } })).toMatchObject({ message: 'ntp configured' });
  expect(existsSync(join(root, '/etc/chrony.conf'))).toBe(false);
});

it('installs nothing where the author’s program is there, whatever service that is', async () => {
  install('/usr/bin/other');
  const own = { path: '/etc/other.conf', content: sensitive('mine\n'), program: 'other' };
  expect(await run({ own })).toMatchObject({ done: true });
  expect(read('/etc/other.conf')).toBe('mine\n');
});

it('says what is missing where the author’s own service is not there and nothing can install it', async () => {
  const own = {
    path: '/etc/own.conf',
    content: sensitive('mine\n'),
    program: 'ownd',
    packages: ['own'],
    unit: 'own',
  };
  expect(await run({ client: 'own', own })).toMatchObject({
    failure: {
      code: 'TimeSyncNotSetUp',
      cause: expect.stringContaining('no package manager could install it'),
      remedy: expect.stringMatching(/^Put own into the image.*what brings ownd.*journalctl -u own\.$/),
    },
  });
});

it('passes a masked service over for one that may run', async () => {
  install('/usr/sbin/chronyd');
  mkdirSync(join(root, '/etc/systemd/system'), { recursive: true });
  symlinkSync('/dev/null', join(root, '/etc/systemd/system/chrony.service'));
  expect(await run()).toMatchObject({ done: true, message: 'chrony configured' });
  install('/usr/lib/systemd/systemd-timesyncd');
  expect(await run()).toMatchObject({ done: true, message: 'systemd-timesyncd configured' });
});
