import { expect, it } from 'vitest';
import { type Code, codes } from './codes.ts';
import type { CodeEntry } from './entry.ts';
import { onWindows, tableOnWindows } from './on-windows.ts';

/** Of what Windows has not, and Slipway refuses there: control planes and what runs there, disks, units, TPMs, packages, and what cloud-init does. */
const OF_LINUX: readonly Code[] = [
  ...(['NetworkNotConfigured', 'UnitNotStarted', 'TimeSyncNotSetUp', 'DiskNotFound', 'DiskInUse'] as const),
  ...(['ProxyNotSetUp', 'CloudInitFailed', 'ConfigFileUnsafe', 'KernelSettingWrong', 'SwapEnabled'] as const),
  ...(['CgroupDriverMismatch', 'ControlPlaneNotReady', 'EtcdLearnerNotReady', 'EtcdDataUnusable'] as const),
  ...([
    'TpmAbsent',
    'IgnitionHasRun',
    'CoreDnsLoop',
    'KernelArgumentsNotSet',
    'KernelArgumentsLater',
    'MountDeviceMissing',
    'MountFailed',
    'ImageNotAsked',
  ] as const),
];

const LINUX =
  /journalctl|systemctl|systemd|dmesg|resolvectl|timedatectl|\bss -|\bip (?:route|address)|df -|chown|chmod|swapoff|out-of-memory killer|AppArmor|\broot\b|\/(?:etc|var|run|dev|proc|sys)\//;

const words = ({ meaning, impact, fix, check }: CodeEntry): string => [meaning, impact, fix, check].join(' ');

it('tells nobody on Windows to use what only Linux has', () => {
  const table = tableOnWindows(codes());
  const left = (Object.keys(table) as Code[]).filter(
    (code) => !OF_LINUX.includes(code) && LINUX.test(words(table[code])),
  );
  expect(left.map((code) => `${code}: ${words(table[code])}`)).toEqual([]);
});

it('leaves a sentence behind', () => {
  for (const { fix, check } of Object.values(tableOnWindows(codes())))
    for (const text of [fix, check]) expect(text).toMatch(/^[A-Z][^ ].*[^ ]\.$/);
  expect(onWindows(codes().KubeletUnhealthy.fix)).toMatch(/^Read the kubelet's log \(image-builder: C:\\var/);
  expect(
    onWindows('Look at systemctl status docker and journalctl -u docker; check nodeRegistration.criSocket.'),
  ).toBe('Look at sc.exe query docker and at its log; check nodeRegistration.criSocket.');
  expect(onWindows('no verdict yet; only root can see (sudo slipway status)')).toBe(
    'no verdict yet; only an administrator can see',
  );
});
