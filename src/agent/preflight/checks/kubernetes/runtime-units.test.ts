import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { someUnitStartsRuntime } from './runtime-units.ts';

let root: string;
beforeEach(() => {
  root = scratch();
  const own = 'ExecStart=/usr/bin/containerd\n';
  put('/usr/lib/systemd/system/containerd.service', own);
  put('/usr/lib/systemd/system/kubelet.service', 'After=containerd.service\nExecStart=/usr/bin/kubelet\n');
  const docker = 'ExecStart=/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock\n';
  put('/usr/lib/systemd/system/docker.service', docker);
  put('/usr/bin/kubelet', '\x7fELF containerd\n');
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true });
  symlinkSync('/dev/null', join(root, 'etc/systemd/system/containerd.service'));
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const asked = () => someUnitStartsRuntime(createLinuxHost({ root }), ['containerd.service']);

it('sees none where only units of others speak of the runtime', async () => {
  put('/usr/local/bin/setup', '#!/bin/sh\n# waits for containerd\nmkdir -p /etc/containerd/certs.d\n');
  put('/etc/systemd/system/setup.service', 'ExecStart=/usr/local/bin/setup\n');
  put('/etc/systemd/system/proxy.socket', 'ListenStream=/run/proxy.sock\n');
  put('/etc/systemd/system/containerd.service.d/limits.conf', 'ExecStart=\nExecStart=/opt/containerd\n');
  expect(await asked()).toBe(false);
});

it.each([
  ['its program', { '/etc/systemd/system/vendor.service': 'ExecStart=/opt/vendor/bin/containerd -c /x\n' }],
  ['a shell', { '/usr/lib/systemd/system/v.service': "ExecStart=/bin/sh -c 'exec containerd'\n" }],
  [
    'a script',
    {
      '/etc/systemd/system/vendor.service': 'ExecStart=-/opt/start node\n',
      '/opt/start': '#!/bin/sh\nset -e\nexec /opt/bin/containerd --log-level info\n',
    },
  ],
  [
    'a line that goes on',
    { '/etc/systemd/system/v.service': 'ExecStart = /bin/env A=b \\\n  /opt/containerd -c /x\n' },
  ],
  ['a drop-in', { '/etc/systemd/system/v.service.d/1.conf': 'ExecStart=\nExecStart=/opt/containerd-2.1\n' }],
  ['systemd-run', { '/run/systemd/transient/run-1.service': 'ExecStart="/opt/containerd"\n' }],
  [
    'a script of a shell',
    {
      '/etc/systemd/system/v.service': 'ExecStart=/bin/bash -e /opt/start\n',
      '/opt/start': '#!/bin/bash\nexec "/opt/containerd"\n',
    },
  ],
  ['a socket', { '/etc/systemd/system/v.socket': 'ListenStream=/run/containerd/containerd.sock\n' }],
])('sees a unit without its name that starts it by %s', async (_, files) => {
  for (const [path, text] of Object.entries(files)) put(path, text);
  expect(await asked()).toBe(true);
});
