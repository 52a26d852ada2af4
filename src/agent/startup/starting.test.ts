import { describe, expect, it } from 'vitest';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { RESTS_ON } from './rests-on.ts';
import { stillStarting, withStart } from './starting.ts';

const BOOTED = { seconds: 330 };

/** A machine where systemctl and timedatectl answer so. */
function machine(
  shown: string | undefined,
  more: { seconds?: number; began?: number; time?: string; files?: string[] } = {},
): Host {
  const real = createLinuxHost({ root: '/' });
  const { seconds = BOOTED.seconds, began = 1, time = '', files = [] } = more;
  const basic = unit('basic.target', 'active', began);
  return {
    ...real,
    clock: { ...real.clock, monotonic: () => seconds * 1000 },
    files: {
      ...real.files,
      stat: async (path) => (files.includes(path) ? ((await real.files.stat('/')) ?? undefined) : undefined),
    },
    processes: {
      ...real.processes,
      run: async ({ argv }) => {
        const ofBasic = argv.includes('basic.target') && shown !== undefined;
        const stdout = argv[0] !== 'systemctl' ? time : ofBasic ? basic : shown;
        if (stdout === undefined) throw new Error('no systemd');
        return { exitStatus: 0, stdout, stderr: '' } as Awaited<ReturnType<Host['processes']['run']>>;
      },
    },
  };
}

const unit = (name: string, active: string, since = 0, more = 'NRestarts=0\nJob=0') =>
  `Id=${name}\nLoadState=loaded\nActiveState=${active}\nActiveEnterTimestampMonotonic=${since * 1e6}\n${more}\n`;

describe('not while it starts', () => {
  it.each([
    ['it is activating', unit('containerd.service', 'activating'), /containerd\.service is activating/],
    ['it became active just now', unit('containerd.service', 'active', 325), /became active 5 s ago/],
    ['it waits behind others', unit('containerd.service', 'inactive', 0, 'Job=117'), /waits for its turn/],
    [
      'one of several is not up yet',
      `${unit('docker.service', 'active', 1)}\n${unit('cri-docker.service', 'activating')}`,
      /cri-docker/,
    ],
  ])('what a container runtime says is not its last word while %s', async (_, shown, why) => {
    expect(await stillStarting(machine(shown), 'ContainerRuntimeUnsuitable')).toMatch(why);
  });

  it.each([
    ['has been up for longer than its grace', unit('containerd.service', 'active', 5)],
    ['has failed', unit('containerd.service', 'failed')],
    ['is switched off', unit('containerd.service', 'inactive')],
    ['ends again and again', unit('containerd.service', 'activating', 0, 'NRestarts=3')],
    ['is masked', unit('containerd.service', 'inactive').replace('loaded', 'masked')],
    ['is not there', unit('containerd.service', 'inactive').replace('loaded', 'not-found')],
  ])('a container runtime that %s has said its last word', async (_, shown) => {
    expect(await stillStarting(machine(shown), 'ContainerRuntimeUnsuitable')).toBeUndefined();
  });

  it('says of a finding that it may pass, and why', async () => {
    const told = (shown: string) =>
      withStart(machine(shown), 'ContainerRuntimeDown', 'containerd does not answer');
    expect(await told(unit('containerd.service', 'activating'))).toBe(
      'containerd does not answer (this may pass: the container runtime is still starting (containerd.service is activating))',
    );
    expect(await told(unit('containerd.service', 'active', 5))).toBe('containerd does not answer');
  });

  it('counts a machine without an answer of systemd as booting for two minutes', async () => {
    expect(await stillStarting(machine(undefined, { seconds: 30 }), 'MountFailed')).toMatch(
      /booted 30 s ago/,
    );
    expect(await stillStarting(machine(undefined, { seconds: 121 }), 'MountFailed')).toBeUndefined();
  });

  it.each(['ContainerRuntimeUnsuitable', 'KubeadmNotFound', 'DiskNotFound', 'KernelSettingWrong'] as const)(
    'calls nothing final in the first two minutes of a boot that may come without a word of systemd: %s',
    async (code) => {
      const shown = unit('local-fs.target', 'active', 1001);
      // The kernel has waited for somebody to unlock the disk.
      const booted = (ago: number) => machine(shown, { began: 1000, seconds: 1000 + ago });
      expect(await stillStarting(booted(62), code)).toMatch(
        /^the machine booted 62 s ago, and .* may not be up$/,
      );
      expect(await stillStarting(booted(121), code)).toBeUndefined();
    },
  );

  it.each(['CaHashMismatch', 'FileNotWritten'] as const)(
    'keeps %s no longer than its units say',
    async (code) => {
      expect(
        await stillStarting(machine(unit('local-fs.target', 'active', 1), { seconds: 25 }), code),
      ).toBeUndefined();
    },
  );

  it('waits for a clock that is not set yet, for as long as a time service has not been up for long', async () => {
    const time = 'NTP=yes\nNTPSynchronized=no\n';
    const shown = (since: number) => unit('systemd-timesyncd.service', 'active', since);
    expect(await stillStarting(machine(shown(5), { seconds: 110, time }), 'CertificateInvalid')).toMatch(
      /time synchronisation is still at work/,
    );
    expect(
      await stillStarting(machine(shown(5), { seconds: 130, time }), 'CertificateInvalid'),
    ).toBeUndefined();
    const set = 'NTP=yes\nNTPSynchronized=yes\n';
    expect(
      await stillStarting(machine(shown(5), { seconds: 110, time: set }), 'CertificateInvalid'),
    ).toBeUndefined();
  });

  it('waits for udev while events wait for it', async () => {
    const shown = unit('systemd-udevd.service', 'active', 215);
    const busy = machine(shown, { files: ['/run/udev/queue'] });
    expect(await stillStarting(busy, 'DiskInUse')).toMatch(/still at work/);
    expect(await stillStarting(machine(shown), 'DiskInUse')).toBeUndefined();
  });

  it('takes no refusal of a cluster for final that may be as young as the machine', async () => {
    const busy = unit('multi-user.target', 'activating');
    expect(await stillStarting(machine(busy, { seconds: 60 }), 'PermissionDenied')).toBe(
      'the machine booted 59 s ago, and the cluster may not be up',
    );
    expect(await stillStarting(machine(busy), 'PermissionDenied')).toBeUndefined();
  });

  it.each([
    ['ResourceRefused', 'a server', 'systemd-networkd-wait-online.service'],
    ['ResourceRefused', 'a name', 'systemd-resolved.service'],
    ['ImageNotFound', 'a registry', 'NetworkManager.service'],
    ['ImageNotFound', 'a name', 'dnsmasq.service'],
    ['KubeadmConfigVersionUnsupported', 'a kubeadm', 'systemd-sysext.service'],
  ] as const)(
    'takes no %s for final by %s that may be another one while %s starts',
    async (code, _, name) => {
      expect(await stillStarting(machine(unit(name, 'activating')), code)).toMatch(`${name} is activating`);
      expect(await stillStarting(machine(unit(name, 'active', 5)), code)).toBeUndefined();
    },
  );

  it('asks nobody for a code that rests on words alone, or below a root directory', async () => {
    const silent = { ...machine(undefined), root: '/' };
    expect(await stillStarting(silent, 'KubeadmConfigInvalid')).toBeUndefined();
    expect(await stillStarting({ ...silent, root: '/image' }, 'MountFailed')).toBeUndefined();
  });
});

it('asks of every permanent code whether it could be true for the first minute of a boot only', () => {
  const permanent = Object.entries(codes()).flatMap(([code, { persistence }]) =>
    persistence === 'permanent' ? [code as Code] : [],
  );
  expect(permanent.filter((code) => RESTS_ON[code] === undefined)).toEqual([]);
});
