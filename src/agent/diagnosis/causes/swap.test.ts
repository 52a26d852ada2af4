import { expect, it } from 'vitest';
import { verdict } from '../../../../test/support/logs/log-verdict.ts';
import { diagnose } from '../diagnose.ts';
import { NO_EVIDENCE } from '../evidence/evidence.ts';

const said = (text: string): string => `Dec 15 01:35:15 cp4 kubelet[8470]: ${text}`;
const journal = (device: string, kind: string): string[] => [
  said('I1215 01:35:15.919190    8470 swap_util.go:115] "Swap is on" /proc/swaps contents=<'),
  said('\tFilename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority'),
  said(`\t${device}                              ${kind}\t2097136\t\t0\t\t100`),
  said(' >'),
  said(
    'E1215 01:35:15.919309    8470 run.go:72] "command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"',
  ),
  'Dec 15 01:35:15 cp4 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE',
];

it.each([
  ['/dev/zram0', 'partition', 'systemd-zram-setup@zram0.service'],
  ['/swap.img', 'file', '/etc/fstab'],
  ['/dev/sda3', 'partition', 'systemctl --type=swap'],
])('a log names what swaps, and how that is turned off: %s', (device, kind, remedy) => {
  const { failure } = verdict(...journal(device, kind));
  expect(failure).toMatchObject({
    code: 'SwapEnabled',
    cause: expect.stringContaining(`Swap devices: ${device}.`),
  });
  expect(failure?.remedy).toContain(`swapoff ${device}`);
  expect(failure?.remedy).toContain(remedy);
});

it('a machine names what swaps also where kubeadm itself has found swap', () => {
  const stderr =
    'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR Swap]: running with swap on is not supported. Please disable swap\n';
  const input = { verb: 'join' as const, stdout: '', stderr, exitStatus: 1 };
  const failure = diagnose(input, { ...NO_EVIDENCE, swapDevices: ['/dev/zram0', '/swap.img'] });
  expect(failure.cause).toContain('Swap devices: /dev/zram0, /swap.img.');
  expect(failure.remedy).toMatch(/zram-setup@zram0.*swapoff \/swap\.img/);
  expect(diagnose(input, NO_EVIDENCE).remedy).toContain('swapoff -a');
});
