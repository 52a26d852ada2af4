import { describe, expect, test } from 'vitest';
import type { Document } from '../../document/document.ts';
import { plan } from '../../steps/plan.ts';
import { readUserData } from '../read-user-data.ts';
import { jsonSchema } from './json-schema.ts';
import { writeNative } from './write-native.ts';

const METADATA = { 'local-hostname': 'node-1.example.test' };
const HEAD = 'apiVersion: slipway.dev/v1alpha1\nkind: UserData\n';

const read = (text: string | Buffer, metaData: Record<string, unknown> = METADATA): Promise<Document> =>
  readUserData(Buffer.from(text), { source: 'file', metaData });
const errors = ({ report }: Document): string[] =>
  report.flatMap(({ severity, message, where }) =>
    severity === 'error' ? [`${where?.line}:${where?.column} ${message}`] : [],
  );

const steps = (document: Document) =>
  plan(document).map(({ id, title, digest, details }) => ({ id, title, digest, details }));

/** What decides how a bootstrap goes and is no step. */
const settings = ({ wipe, isMetadataGuarded, onError, withoutKubeadm, deadlineSeconds }: Document) => ({
  deadlineSeconds,
  wipe,
  isMetadataGuarded,
  onError,
  withoutKubeadm,
});

/** Both make the same machine, and what was converted stays as it is. */
async function roundTrip(text: string, metaData = METADATA): Promise<string> {
  const first = await read(text, metaData);
  expect(errors(first)).toEqual([]);
  const one = writeNative(first);
  const second = await read(one, metaData);
  expect(second.report).toEqual([]);
  expect(steps(second)).toEqual(steps(first));
  expect(settings(second)).toEqual(settings(first));
  expect(writeNative(second)).toBe(one);
  return one;
}

describe('what is converted makes the same machine', () => {
  test.each([
    [
      'files',
      "write_files: [{path: /a, content: \"x\\ty\\n\", permissions: '0600', append: true, owner: 'a:b'}]",
    ],
    ['bytes', 'write_files: [{path: /a, encoding: b64, content: AP/+Cg==}]'],
    [
      'odd texts',
      'write_files: [{path: /a, content: "yes"}, {path: /b, content: "0644"}, {path: /c, content: "\\u0085\\u2028 \\e"}]',
    ],
    ['windows', 'write_files: [{path: /a, content: "a\\r\\nb\\r\\n"}]'],
    [
      'commands',
      'bootcmd: [a]\nruncmd: ["true", [ls, 1:20], "a: b # c", "kubeadm join --config /a --v 5", "sudo A=b kubeadm join --config /b"]',
    ],
    [
      'users',
      'users: [{name: a, sudo: [ALL=ALL], doas: [permit a], selinux_user: staff_u, create_groups: false, no_log_init: true, plain_text_passwd: "null", uid: 0}]\ngroups: [{g: [a]}]',
    ],
    [
      'disks',
      'disk_setup: {/dev/sdb: {layout: [33, [66, 82]]}}\nfs_setup: [{device: /dev/sdb, filesystem: xfs, cmd: [mkfs.xfs, "%(device)s"]}]\nmounts: [[/dev/sdb, /a]]',
    ],
    [
      'ntp',
      'ntp: {servers: [a.example], ntp_client: own, config: {confpath: /a, check_exe: a, packages: [], service_name: a, template: "a\\n"}}',
    ],
    ['a name', 'hostname: other'],
    ['a name that stays', 'preserve_hostname: true'],
    [
      'the node',
      'slipway: {preflight: {mend: true}, kernel: {modules: [a], sysctls: {net.a: "1"}}, proxy: {http: "http://u:p@h:1"}, endpoints: ["h:1"]}\nruncmd: ["kubeadm join --config /a"]',
    ],
    [
      'what is expected of the machine, and its labels',
      'slipway: {expect: {unmet: warn, memory: ">= 1.5Gi", cpus: 2, firmware: uefi, secureBoot: true, gpus: [{model: A100}], disks: [{size: ">= 500G", rotational: false}, {}]}, labels: {example.com/gpu: "{{ facts.gpus[0].model }}", tier: "1"}}\nruncmd: ["kubeadm join --config /a"]',
    ],
    ['a number of GPUs', 'slipway: {kubeadm: none, expect: {gpus: ">= 2"}}'],
    [
      'what comes after',
      'slipway: {kubeadm: none, wipe: false, metadata: guarded, onError: stop, deadline: 20m}',
    ],
    ['no node', 'slipway: {kubeadm: none}'],
    [
      'a fetched file',
      'write_files: [{path: /a, content: x, source: {uri: "https://h/a", headers: {A: b}}}]',
    ],
    [
      'the system',
      'timezone: Etc/UTC\nmanage_etc_hosts: true\nrandom_seed: {data: AP8=, encoding: b64}\nswap: {size: 1G}\nssh_keys: {rsa_private: p}\nchpasswd: {list: ["a:b"]}\nphone_home: {url: "http://h/"}\npower_state: {mode: reboot, condition: [a]}\napt: {sources: {x: {source: deb, key: k}}}\nprefer_fqdn_over_hostname: true\nfqdn: a.b',
    ],
  ])('%s', async (_name, text) => {
    await roundTrip(`#cloud-config\n${text}\n`);
  });

  test('a script, and a multipart', async () => {
    await roundTrip('#!/bin/sh\necho x\n');
    const part = (type: string, text: string) => `--B\nContent-Type: ${type}\n\n${text}\n`;
    await roundTrip(
      `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n${part('text/cloud-config', '#cloud-config\nruncmd: [a]')}${part('text/x-shellscript', '#!/bin/sh\nb')}--B--\n`,
    );
  });

  test('Ignition keeps its order', async () => {
    const one = await roundTrip(
      '{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/a", "contents": {"source": "https://u:p@h/a", "compression": "gzip"}}], "links": [{"path": "/b", "target": "/a"}]}, "systemd": {"units": [{"name": "a.service", "enabled": true, "contents": "[Unit]\\n"}]}}',
    );
    expect(one).toContain('order: ignition');
  });

  test('what is below file systems, and before all of it', async () => {
    const storage = {
      raid: [
        {
          name: 'a',
          level: 'raid1',
          devices: ['/dev/a', '/dev/b', '/dev/c'],
          spares: 1,
          options: ['-c', '64'],
        },
        { name: '/dev/md/b', level: 'raid0', devices: ['/dev/d'] },
      ],
      luks: [
        {
          name: 'l',
          device: '/dev/md/a',
          uuid: '9a1f7e5c-6a75-4a7c-8f6b-6f5a6a7b8c9d',
          keyFile: { source: 'data:,k' },
        },
        {
          name: 'm',
          device: '/dev/e',
          wipeVolume: true,
          discard: true,
          keyFile: { source: 'https://u:p@h/k' },
        },
        { name: 'n', device: '/dev/f', clevis: { tang: [{ url: 'http://t', thumbprint: 't' }], tpm2: true } },
      ],
    };
    const kernelArguments = { shouldExist: ['a=b,c', '!x'], shouldNotExist: ['quiet'] };
    const one = await roundTrip(JSON.stringify({ ignition: { version: '3.5.0' }, storage, kernelArguments }));
    expect(one).toContain('encryptions:');
  });

  test('the name that the metadata gives is not written down', async () => {
    const one = await roundTrip('#cloud-config\nruncmd: [a]\n');
    expect(one).not.toContain('node-1');
    expect((await read(one, { 'local-hostname': 'other' })).hostname).toEqual({ name: 'other' });
  });
});

describe('the document written by hand', () => {
  test('has defaults, and wraps its secrets', async () => {
    const document = await read(
      `# mine\n${HEAD}files:\n- path: /a\n  content: x\n- path: /b\n  mode: '0600'\n  content: {base64: AAE=}\ncommands:\n- shell: ls\n- {kind: kubeadm, verb: join, args: [--config, /a], configPath: /a}\nusers: [{name: a}]\n`,
    );
    expect(errors(document)).toEqual([]);
    expect(document.files).toMatchObject([
      { path: '/a', mode: 0o644, owner: 'root:root', append: false, where: { line: 5, column: 3 } },
      { path: '/b', mode: 0o600 },
    ]);
    expect(Buffer.from(document.files[1]?.content.reveal() ?? []).toString('hex')).toBe('0001');
    expect(document.commands[1]).toMatchObject({ kind: 'kubeadm', verb: 'join' });
    expect(document.users[0]).toMatchObject({ lockPassword: true, sshAuthorizedKeys: [] });
    expect(JSON.stringify(document)).not.toContain('"ls"');
  });

  test.each([
    ['kind: Other', '1:7 kind'],
    ['files: [{mode: "0644"}]', 'files.0 has no path'],
    ['files: [{path: a}]', 'files.0.path must be an absolute path'],
    ['files: [{path: /a, mode: 0644}]', 'files.0.mode must be an octal mode in quotes'],
    ['files: [{path: /a, owned: x}]', 'files.0.owned is not known'],
    ['runcmd: [ls]', 'runcmd is not known'],
    ['commands: [{kind: kubeadm, verb: reset}]', 'commands.0.verb must be init or join'],
    ['users: [{name: a, uid: "5"}]', 'users.0.uid must be a number from 0'],
    ['mounts: [{fields: [a]}]', 'mounts.0.fields must have 6 items'],
  ])('%s is an error', async (text, told) => {
    const head = text.startsWith('kind') ? 'apiVersion: slipway.dev/v1alpha1\n' : HEAD;
    const document = await read(`${head}${text}\n`);
    expect(errors(document).join('\n')).toContain(told.replace(/^1:7 /, ''));
  });

  test('units, links and fetched files are done beside commands of the boot', async () => {
    const document = await read(
      `${HEAD}files: [{path: /a}, {path: /b, from: {url: "https://h/b"}}]\nlinks: [{path: /l, target: /a}]\nunits: [{name: a.service, enabled: true, content: "[Unit]"}]\nbootCommands: [{shell: x}]\n`,
    );
    expect(errors(document)).toEqual([]);
    expect(plan(document).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['bootcmd/1', 'files', 'tree', 'units', 'units/start']),
    );
  });

  test.each([
    [
      'order: ignition\nmounts: [{fields: [a, b, c, d, "0", "0"]}]',
      'mounts is not supported with order: ignition',
    ],
    ['disks: [{device: /dev/a}]\npartitionings: [{device: /dev/a}]', 'set only one of them'],
    ['users: [{name: a, sudo: ["ALL=ALL", ALL]}]', '3:9 users: sudo cannot read rule 2'],
  ])('%j would leave something undone', async (text, told) => {
    expect(errors(await read(`${HEAD}${text}\n`)).join()).toContain(told);
  });

  test('a file in the order of Ignition is made without a rule of its own', async () => {
    const document = await read(`${HEAD}order: ignition\nfiles: [{path: /a, content: x}]\n`);
    expect(plan(document).map(({ id }) => id)).toContain('files');
  });

  test('another version is refused', async () => {
    expect(errors(await read('apiVersion: slipway.dev/v2\nkind: UserData\n'))[0]).toContain('apiVersion');
  });
});

describe('as a part among others', () => {
  const mime = (...texts: string[]) =>
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n${texts.map((text) => `--B\nContent-Type: text/plain\n\n${text}\n`).join('')}--B--\n`;

  test('it adds to them', async () => {
    const document = await read(
      mime(
        '#cloud-config\nwrite_files: [{path: /a, content: x}]\nruncmd: [one]\nhostname: first',
        `${HEAD}files: [{path: /b}]\ncommands: [{shell: two}]\nnode: {kernel: {modules: [m]}}\n`,
      ),
    );
    expect(errors(document)).toEqual([]);
    expect(document.files.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(document.commands).toHaveLength(2);
    expect(document.hostname?.name).toBe('first');
    expect(document.node?.kernel?.modules).toEqual(['m']);
  });

  test('with the order of Ignition it must be alone', async () => {
    const document = await read(mime('#cloud-config\nruncmd: [one]', `${HEAD}order: ignition\n`));
    expect(errors(document)[0]).toContain('whole user data');
  });
});

test('the JSON Schema closes every mapping and names what is required', () => {
  const schema = jsonSchema() as {
    properties: Record<string, { items?: { required?: string[]; additionalProperties?: boolean } }>;
  };
  expect(schema.properties.files?.items).toMatchObject({ required: ['path'], additionalProperties: false });
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(['commands', 'users', 'units', 'node']),
  );
});
