import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { loadDocument } from './load.ts';

const CONFIG = JSON.stringify({
  ignition: { version: '3.4.0' },
  storage: { files: [{ path: '/etc/x', contents: { source: 'data:,x' } }] },
});
let root: string;
beforeEach(() => {
  root = scratch();
  put('/var/lib/cloud/seed/nocloud/user-data', CONFIG);
  put('/var/lib/cloud/seed/nocloud/meta-data', 'instance-id: i-1\n');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const load = (more: { userDataFile?: string } = {}) => loadDocument(createLinuxHost({ root }), more);

describe('an Ignition config that a source gave', () => {
  it('is acted upon where there is no Ignition', async () => {
    expect(await load()).toMatchObject({ kind: 'document', document: { order: 'stages' } });
  });

  it.each([
    ['/run/ignition.json', '{}'],
    ['/etc/.ignition-result.json', '{}'],
    ['/proc/cmdline', 'root=/dev/vda ignition.platform.id=qemu quiet\n'],
    ['/proc/cmdline', 'flatcar.oem.id=ec2\n'],
  ])('is left to the Ignition that %s shows', async (path, text) => {
    put(path, text);
    expect(await load()).toMatchObject({
      kind: 'none',
      permanent: true,
      failure: { code: 'IgnitionHasRun' },
    });
  });

  it('counts where a person names the file', async () => {
    put('/run/ignition.json', '{}');
    const userDataFile = join(root, '/var/lib/cloud/seed/nocloud/user-data');
    expect(await load({ userDataFile })).toMatchObject({ kind: 'document' });
  });
});
