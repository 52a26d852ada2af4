import { expect, it } from 'vitest';
import { toWindowsPath } from './paths.ts';

it.each([
  ['/run/slipway/outcome.json', 'C:\\run\\slipway\\outcome.json'],
  ['/var/lib/slipway', 'C:\\ProgramData\\slipway'],
  ['/etc/slipway/config.yaml', 'C:\\ProgramData\\slipway\\etc\\config.yaml'],
  ['/usr/lib/slipway/config.yaml', 'C:\\Program Files\\Slipway\\config.yaml'],
  // Every user may make folders in C:\.
  ['/proc/cmdline', 'C:\\ProgramData\\slipway\\believed\\proc\\cmdline'],
  [
    '/var/lib/cloud/seed/nocloud/user-data',
    'C:\\ProgramData\\slipway\\believed\\var\\lib\\cloud\\seed\\nocloud\\user-data',
  ],
  ['/etc/./cloud/cloud.cfg', 'C:\\ProgramData\\slipway\\believed\\etc\\cloud\\cloud.cfg'],
  ['/run/cloud-init', 'C:\\ProgramData\\slipway\\believed\\run\\cloud-init'],
  ['/device', 'C:\\device'],
  // As Cluster API's user data, and Windows itself, take them.
  ['/run/kubeadm/kubeadm-join-config.yaml', 'C:\\run\\kubeadm\\kubeadm-join-config.yaml'],
  ['/run/slipway-other', 'C:\\run\\slipway-other'],
  ['/run/cluster-api/../../var/lib/slipway/x', 'C:\\ProgramData\\slipway\\x'],
  ['/../../etc/hosts', 'C:\\etc\\hosts'],
  ['c:/k/kubeadm.exe', 'c:\\k\\kubeadm.exe'],
  ['D:\\seed\\..\\user-data', 'D:\\user-data'],
  ['//./pipe/containerd-containerd', '\\\\.\\pipe\\containerd-containerd'],
])('%s is %s', (path, real) => {
  expect(toWindowsPath('/', path)).toBe(real);
});

it('maps everything below a root, and nothing out of it', () => {
  expect(toWindowsPath('S:\\image', '/var/lib/slipway/x')).toBe('S:\\image\\ProgramData\\slipway\\x');
  expect(toWindowsPath('S:\\image', 'C:\\..\\..\\k')).toBe('S:\\image\\k');
});
