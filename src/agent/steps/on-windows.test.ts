import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { loadDocument } from '../userdata/load.ts';
import { plan } from './plan.ts';
import { preview, stepsForPlatform } from './preview.ts';

async function read(userData: string, metaData = 'instance-id: i-1\n'): Promise<Document> {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-on-windows-'));
  try {
    writeFileSync(`${dir}/user-data`, userData);
    writeFileSync(`${dir}/meta-data`, metaData);
    const files = { userDataFile: `${dir}/user-data`, metaDataFile: `${dir}/meta-data` };
    const loaded = await loadDocument(createLinuxHost(), files);
    if (loaded.kind !== 'document') throw new Error(loaded.failure.cause);
    return loaded.document;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const fitted = async (userData: string, platform: 'linux' | 'windows' = 'windows', metaData?: string) => {
  const document = await read(userData, metaData);
  const host = { platform } as Host;
  const all = plan(document);
  const planned = stepsForPlatform(host, all);
  const lacking = await preview(all, { document, host, moment: 'again' });
  return {
    kinds: planned.map(({ kind }) => kind),
    lacking: lacking.map(({ message, where }) => [where?.line, where?.column, message.split(':')[0]]),
  };
};

const WORKER = `#cloud-config
write_files:
- {path: /run/kubeadm/kubeadm-join-config.yaml, content: "kind: JoinConfiguration"}
runcmd:
- kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml
`;
const METADATA = 'instance-id: i-1\nlocal-hostname: win-1\npublic-keys: [ssh-ed25519 AAAA x]\n';

it('does what Cluster API sends, and leaves to cloudbase-init what the metadata say', async () => {
  const { kinds } = await fitted(WORKER, 'linux', METADATA);
  expect(kinds).toEqual(expect.arrayContaining(['hostname', 'loginKeys', 'files', 'kubeadm']));
  expect(await fitted(WORKER, 'windows', METADATA)).toEqual({
    kinds: ['files', 'preflight', 'kubeadm', 'sentinel', 'ready'],
    lacking: [],
  });
});

it('names each thing that Windows lacks by its key and place', async () => {
  const asked = `${WORKER}disk_setup: {/dev/sdb: {table_type: gpt, layout: true}}
fs_setup:
- {device: /dev/sdb1, filesystem: ext4}
mounts: [[/dev/sdb1, /data]]
hostname: win-1
users: [{name: capi}]
packages: [jq]
timezone: Europe/Berlin
power_state: {mode: reboot}
slipway: {kernel: {modules: [br_netfilter]}}
`;
  const { lacking } = await fitted(asked);
  expect(lacking.map(([line, , name]) => [name, line])).toEqual(
    expect.arrayContaining([
      ['disk_setup', 6],
      ['fs_setup', 8],
      ['mounts', 9],
      ['hostname', 10],
      ['users', 11],
      ['packages', 12],
      ['timezone', 13],
      ['power_state', 14],
      ['slipway', 15],
    ]),
  );
  expect(lacking.every(([line, column]) => Number(line) > 0 && Number(column) > 0)).toBe(true);
  expect((await fitted(asked, 'linux')).lacking).toEqual([]);
});

it('knows the places of a document in the own format too', async () => {
  const own = `apiVersion: slipway.dev/v1alpha1
kind: UserData
system:
  timezone: {name: Europe/Berlin}
commands: []
withoutKubeadm: true
`;
  const { lacking } = await fitted(own);
  expect(lacking).toEqual([[4, 3, 'timezone']]);
});

it('refuses scripts for Windows everywhere else, before anything is done', async () => {
  const scripts = '<powershell>kubeadm join</powershell><script>echo</script>';
  expect(await fitted(scripts)).toEqual({ kinds: ['command', 'command', 'left-call'], lacking: [] });
  const { lacking } = await fitted(scripts, 'linux');
  expect(lacking).toHaveLength(2);
  expect(lacking[0]?.join()).toMatch(/^1,1,This script is for Windows/);
});
