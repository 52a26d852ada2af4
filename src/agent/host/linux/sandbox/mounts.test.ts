import { expect, it } from 'vitest';
import { planMounts } from './mounts.ts';

const FILESYSTEMS =
  'nodev\tproc\nnodev\ttmpfs\nnodev\tsysfs\nnodev\tdevtmpfs\nnodev\toverlay\n\text4\n\tvfat\n';
const HOST = [
  '1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '2 1 0:5 / /proc rw,nosuid - proc proc rw',
  '3 1 0:6 / /run rw,nosuid shared:2 - tmpfs tmpfs rw',
  '4 1 8:2 / /home rw - ext4 /dev/sda2 rw',
];
const plan = (more: string[], root = '/mnt/image', mayWrite = true) =>
  planMounts({ mountinfo: [...HOST, ...more, ''].join('\n'), filesystems: FILESYSTEMS }, root, mayWrite);

it('gives a folder of the host neither devices nor programs with rights of their own', () => {
  expect(plan([])).toEqual([{ path: '', mode: 'relatime,nodev,nosuid' }]);
  expect(plan([], '/mnt/image', false)).toEqual([{ path: '', mode: 'relatime,ro,nodev,nosuid' }]);
});

it('shows what is mounted for the image alone, and hides what is the host’s', () => {
  const image = [
    '10 1 7:0 / /mnt/image rw - ext4 /dev/loop0 rw',
    '11 10 7:1 / /mnt/image/home rw,noexec - ext4 /dev/loop1 rw',
    '12 10 7:2 / /mnt/image/boot\\040efi ro - vfat /dev/loop2 rw',
    '13 10 0:5 / /mnt/image/proc rw - proc proc rw',
    '14 10 0:6 / /mnt/image/run rw - tmpfs tmpfs rw',
    '15 14 0:60 / /mnt/image/run/lock rw - tmpfs tmpfs rw',
    '16 10 8:2 / /mnt/image/srv rw - ext4 /dev/sda2 rw',
    '17 10 8:1 /var/cache /mnt/image/var/cache rw - ext4 /dev/sda1 rw',
    '18 10 0:70 / /mnt/image/tmp rw - tmpfs tmpfs rw',
  ];
  expect(plan(image)).toEqual([
    { path: '', mode: 'nodev,nosuid' },
    { path: '/home', mode: 'noexec,nodev,nosuid' },
    { path: '/boot efi', mode: 'ro,nodev,nosuid' },
    { path: '/proc', mode: 'hide' },
    { path: '/run', mode: 'hide' },
    { path: '/srv', mode: 'hide' },
    { path: '/var/cache', mode: 'hide' },
    { path: '/tmp', mode: 'hide' },
  ]);
});

it('writes to no image that is mounted read-only', () => {
  expect(plan(['10 1 7:0 / /mnt/image ro - ext4 /dev/loop0 rw'])).toEqual([
    { path: '', mode: 'ro,nodev,nosuid' },
  ]);
});

it('keeps what lies beside a root with a name that begins alike', () => {
  expect(plan(['10 1 0:9 / /mnt/image2 rw - proc proc rw'])).toHaveLength(1);
});
