import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { planCommand } from './plan.ts';

it('tells what the steps would find of accounts, at its place', async () => {
  const root = scratch();
  const userData = join(root, 'user-data');
  writeFileSync(
    userData,
    '#cloud-config\nslipway: {kubeadm: none}\nusers:\n- {name: ann, lock_passwd: false}\n',
  );
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const status = await planCommand({ userData, root, output: 'text' });
  const told = err.mock.calls.map(([text]) => String(text)).join('');
  vi.restoreAllMocks();
  expect({ status, told }).toEqual({
    status: 0,
    told: expect.stringMatching(/line 4, column 3: The user ann stays locked .*\[AccountSettingIgnored\]/),
  });
});

it.each([
  [false, 2],
  [true, 0],
])(
  'asks what the machine cannot take as a bootstrap does: not once it has begun (%s)',
  async (begun, expected) => {
    const root = scratch();
    const userData = join(root, 'user-data');
    mkdirSync(join(root, 'dir'));
    mkdirSync(join(root, 'var/lib/slipway'), { recursive: true });
    if (begun) writeFileSync(join(root, 'var/lib/slipway/journal.jsonl'), '{}\n');
    writeFileSync(userData, '#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /dir}]\n');
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const status = await planCommand({ userData, root, output: 'text' });
    vi.restoreAllMocks();
    expect(status).toBe(expected);
  },
);

async function planned(userData: string, metaData?: string) {
  const root = scratch();
  const given = {
    userData: join(root, 'user-data'),
    ...(metaData ? { metaData: join(root, 'meta-data') } : {}),
  };
  writeFileSync(given.userData, userData);
  if (metaData) writeFileSync(join(root, 'meta-data'), metaData);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const status = await planCommand({ ...given, root: '/', output: 'text' });
  const told = err.mock.calls.map(([text]) => String(text)).join('');
  vi.restoreAllMocks();
  return { status, told };
}

const BY_NAME = `## template: jinja
#cloud-config
write_files:
- path: /run/kubeadm/join.yaml
  permissions: '0600'
  content: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    nodeRegistration: {name: '{{ ds.meta_data.local_hostname }}'}
    discovery: {bootstrapToken: {apiServerEndpoint: "10.0.0.1:6443", token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true}}
runcmd: [kubeadm join --config /run/kubeadm/join.yaml]
`;

it('asks for the metadata that a template needs, and goes on', async () => {
  const { status, told } = await planned(BY_NAME);
  expect(status).toBe(0);
  expect(told).toMatch(/"local_hostname" is not defined.* Give the metadata of a machine with --meta-data\./);
  expect(told).not.toContain('NodeNameInvalid');
});

it('tells a name that the metadata gives and no node can have', async () => {
  const { status, told } = await planned(BY_NAME, 'local_hostname: Not_a_name\n');
  expect({ status, told }).toEqual({ status: 2, told: expect.stringContaining('NodeNameInvalid') });
});

it('plans disks on a host that has no program for them', async () => {
  vi.stubEnv('PATH', scratch());
  const { status, told } = await planned(
    '{"ignition": {"version": "3.3.0"}, "storage": {"disks": [{"device": "/dev/vdz", "partitions": [{"number": 1}]}]}, "systemd": {"units": [{"name": "kubeadm.service", "enabled": true, "contents": "[Service]\\nExecStart=/usr/bin/kubeadm join --config /a\\n[Install]\\nWantedBy=multi-user.target\\n"}]}}',
  );
  vi.unstubAllEnvs();
  expect({ status, told }).toEqual({
    status: 0,
    told: expect.stringMatching(/warning: .*sfdisk is not on this machine/),
  });
});
