import { gzipSync } from 'node:zlib';
import { planAsJson, planAsText } from '../../../src/agent/cli/text/plan-text.ts';
import type { Diagnostic } from '../../../src/agent/document/document.ts';
import { NODE_FILES } from '../../../src/agent/document/paths.ts';
import { checkDocument } from '../../../src/agent/preflight/check-document.ts';
import { documentSecrets } from '../../../src/agent/redaction/document-secrets.ts';
import { plan } from '../../../src/agent/steps/plan.ts';
import { jinjaExamples, yamlExamples } from '../../../src/agent/userdata/fixtures/read-json.ts';
import { loadDocument } from '../../../src/agent/userdata/load.ts';
import { filesIn, jsons, testTexts, texts } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';
import { JINJA_WORDS, KEYS, MIME_WORDS, NODE_KEYS } from './user-data-words.ts';

const META =
  'instance-id: i-1\nlocal-hostname: node-1\nlist: [a, b]\nnested: {deep: {key: v}}\nnumber: 41\nflag: true\n';
const JOIN = `#cloud-config
write_files:
- path: /run/kubeadm/kubeadm-join-config.yaml
  content: |
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    discovery: {bootstrapToken: {apiServerEndpoint: '10.0.0.1:6443', token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true}}
runcmd: ['kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && echo success > /run/cluster-api/bootstrap-success.complete']
`;

/** What lies behind the addresses that user data includes. */
const answerToIncludes = (url: string) => ({
  status: url.includes('404') ? 404 : 200,
  body: url.endsWith('loop') ? `#include ${url}` : '#cloud-config\nruncmd: [included]\n',
});

/** What `slipway plan` does with a machine's files, and what it would print. */
async function planned(files: Record<string, Buffer | string>): Promise<unknown> {
  const host = memoryHost({ '/meta-data': META, ...files }, answerToIncludes);
  const answer = await loadDocument(host, { userDataFile: '/user-data', metaDataFile: '/meta-data' });
  must(host.changed.length === 0, 'planning changes nothing');
  if (answer.kind === 'none') return answer.failure;
  const { document } = answer;
  const report = [...document.report, ...checkDocument(document)];
  report.forEach(mustBeTold);
  if (report.some(({ severity }) => severity === 'error')) return report;
  const steps = plan(document);
  const secrets = documentSecrets(document);
  const printed = planAsText(document, steps);
  return { report, secrets, printed, json: JSON.stringify(planAsJson(document, report, steps)) };
}

function mustBeTold({ message, where }: Diagnostic): void {
  must(!/[\p{Cc}\u2028-\u202e]/u.test(message), 'a remark is one printable line');
  must(message.length < 2_000, 'a remark is short');
  must(where === undefined || (where.line >= 1 && where.column >= 1), 'lines and columns count from 1');
}

const MIME = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/cloud-config; charset="utf-8"
Content-Disposition: attachment; filename="a.yaml"
Merge-Type: list(append)+dict(recurse_array)

#cloud-config
runcmd: [ls]
--b
Content-Type: text/x-shellscript
Content-Transfer-Encoding: base64

IyEvYmluL3NoCmVjaG8gaGkK
--b
Content-Type: multipart/mixed; boundary=c

--c
Content-Type: text/jinja2
Content-Transfer-Encoding: quoted-printable

## template: jinja
#cloud-config
hostname: =7B=7B v1.local_hostname =7D=7D
--c--
--b
Content-Type: application/gzip
Content-Transfer-Encoding: base64

${gzipSync('#cloud-config\nbootcmd: [ls]\n').toString('base64')}
--b--
`;
const machines = (): Buffer[] => filesIn('src/agent/userdata/fixtures', '.yaml');
const examples = (): string[] => testTexts('src/agent/userdata');

export const cloudConfig: Target = {
  name: 'cloud-config',
  dictionary: KEYS,
  corpus: () => [
    ...machines(),
    ...texts(JOIN, ...examples()),
    ...texts(...examples().map((text) => `#cloud-config\n${text}`)),
    ...texts(...yamlExamples().map(({ text }) => `#cloud-config\n${text}`)),
  ],
  run: (bytes) => planned({ '/user-data': bytes }),
};

export const jinja: Target = {
  name: 'jinja',
  dictionary: [...JINJA_WORDS, ...KEYS.slice(0, 12)],
  corpus: () => [
    ...machines(),
    ...texts(
      ...jinjaExamples().map(
        ({ text }) => `## template: jinja\n#cloud-config\nruncmd:\n- ${JSON.stringify(text)}\n`,
      ),
    ),
    ...texts(...jinjaExamples().map(({ text }) => `## template: jinja\n#cloud-config\n# ${text}`)),
  ],
  run: (bytes) => planned({ '/user-data': bytes }),
};

export const mime: Target = {
  name: 'mime',
  dictionary: [...MIME_WORDS, ...KEYS.slice(0, 12)],
  corpus: () =>
    texts(
      MIME,
      MIME.replaceAll('\n', '\r\n'),
      ...testTexts('src/agent/userdata').filter((text) => /mime|--/i.test(text)),
    ),
  run: (bytes) => planned({ '/user-data': bytes }),
};

const ARCHIVE = `#cloud-config-archive
- "#cloud-config\\nruncmd: [x]\\n"
- {type: text/cloud-config, merge-type: 'list(append)+dict(recurse_list)', content: "runcmd: [z]", launch-index: 0}
- {content: "#!/bin/sh\\nscript", filename: zz, type: text/x-shellscript-per-boot}
- {content: !!binary I2Nsb3VkLWNvbmZpZwpydW5jbWQ6IFt4XQo=}
- '#cloud-config-jsonp [{"op": "add", "path": "/runcmd/-", "value": {"a": [1]}}, {"op": "copy", "from": "/runcmd", "path": "/x"}]'
`;
const INCLUDES =
  '#include\nfile:///meta-data\nhttp://a.example/404\n#include-once https://a.example/loop\n/user-data\n';

/** What stands for other texts, as user data and as vendor data of the image's making. */
export const forms: Target = {
  name: 'forms',
  dictionary: [
    ...['#include ', '#include-once', 'file:///user-data', 'http://a.example/', 'text/x-include-url'],
    ...[
      '#cloud-config-jsonp',
      '"op"',
      '"path"',
      '"from"',
      '"value"',
      '/runcmd/0',
      '~1',
      '~0',
      'move',
      'test',
    ],
    ...['launch-index', 'merge-type', 'vendor_data', 'enabled', 'prefix', ...KEYS.slice(0, 20)],
  ],
  corpus: () => texts(ARCHIVE, INCLUDES, ...testTexts('src/agent/userdata/includes')),
  run: async (bytes) => [
    await planned({ '/user-data': bytes }),
    await planned({
      '/user-data': JOIN,
      '/etc/cloud/cloud.cfg': bytes,
      '/etc/cloud/cloud.cfg.d/9.cfg': JOIN,
    }),
  ],
};

/** Compressed and encoded: as it comes, and what is inside of it. */
export const packed: Target = {
  name: 'packed',
  dictionary: KEYS,
  corpus: () => {
    const whole = [Buffer.from(JOIN), Buffer.from(MIME), gzipSync(JOIN), gzipSync(Buffer.alloc(3_000_000))];
    return [...whole, ...whole.map((bytes) => Buffer.from(bytes.toString('base64')))];
  },
  run: async (bytes) => [
    await planned({ '/user-data': bytes }),
    await planned({ '/user-data': gzipSync(bytes, { level: 1 }) }),
    await planned({ '/user-data': bytes.toString('base64') }),
  ],
};

export const ignition: Target = {
  name: 'ignition',
  dictionary: [
    'ignition',
    'version',
    '3.4.0',
    '2.3.0',
    'storage',
    'files',
    'systemd',
    'units',
    'passwd',
    'data:,x',
    'data:;base64,eA==',
  ],
  corpus: () => [
    ...jsons(
      {
        ignition: { version: '3.4.0', config: { merge: [{ source: 'data:,x' }] } },
        storage: {
          files: [
            {
              path: '/a',
              mode: 420,
              contents: { source: 'data:text/plain;base64,eA==', compression: 'gzip' },
            },
          ],
          directories: [{ path: '/d' }],
          links: [{ path: '/l', target: '/a' }],
          disks: [{ device: '/dev/sdb', partitions: [{ number: 1, sizeMiB: 0 }] }],
          filesystems: [{ device: '/dev/sdb1', format: 'ext4', path: '/var' }],
        },
        systemd: {
          units: [
            { name: 'kubeadm.service', enabled: true, contents: '[Service]\nExecStart=/etc/kubeadm.sh\n' },
          ],
        },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 A'] }] },
      },
      {
        ignition: { version: '3.5.0' },
        kernelArguments: { shouldExist: ['a=b'], shouldNotExist: ['quiet'] },
        storage: {
          raid: [{ name: 'data', level: 'raid1', devices: ['/dev/a', '/dev/b', '/dev/c'], spares: 1 }],
          luks: [
            {
              name: 'l',
              device: '/dev/md/data',
              keyFile: { source: 'data:,key' },
              uuid: 'x',
              options: ['-x'],
            },
            {
              name: 'm',
              device: '/dev/d',
              clevis: { tang: [{ url: 'http://t', thumbprint: 't' }], tpm2: true },
            },
          ],
          files: [
            { path: '/a', contents: { source: 's3://bucket/key?versionId=1' } },
            { path: '/b', contents: { source: 'arn:aws:s3:::bucket/key' } },
            { path: '/c', contents: { source: 'gs://bucket/object' } },
          ],
        },
      },
      {
        ignition: {
          version: '2.3.0',
          config: { append: [{ source: 'https://h/loop' }, { source: 'data:,x' }] },
        },
        storage: { files: [{ filesystem: 'root', path: '/a', contents: { source: 'data:,x' } }] },
      },
    ),
    ...texts(...testTexts('src/agent/report/watch/boot')),
  ],
  run: (bytes) => planned({ '/user-data': bytes }),
};

const SETTINGS = `kernel:
  modules: [br_netfilter]
  sysctls: {net.ipv4.ip_forward: 1, net.ipv4.ip_local_port_range: 1024 65000}
proxy: {http: 'http://user:pw@proxy.example:3128', https: http://proxy.example:3128, except: [.corp.example, 10.0.0.0/8]}
containerd:
  cgroupDriver: systemd
  sandboxImage: registry.example/pause:3.10
  registries:
  - {host: docker.io, server: 'https://registry.example', mirrors: [{url: 'https://mirror.example:5000', skipVerify: true, capabilities: [pull]}]}
kubeadm:
  staticPods: [{name: kube-vip.yaml, content: 'kind: Pod'}]
  patches: [{name: kube-apiserver0+merge.yaml, content: '{}'}]
preflight: {mend: true}
`;

export const nodeSettings: Target = {
  name: 'node-settings',
  dictionary: [...NODE_KEYS, ...KEYS.slice(-30)],
  corpus: () =>
    texts(
      SETTINGS,
      `slipway:\n${SETTINGS.replace(/^/gm, '  ')}`,
      ...testTexts('src/agent/userdata/node-settings'),
    ),
  run: async (bytes) => [
    await planned({ '/user-data': JOIN, [NODE_FILES.machine]: bytes }),
    await planned({
      '/user-data': JOIN,
      [`${NODE_FILES.dropIns}/10-a.yaml`]: SETTINGS,
      [`${NODE_FILES.dropIns}/20-b.yml`]: bytes,
    }),
    await planned({ '/user-data': Buffer.concat([Buffer.from(`${JOIN}slipway:\n  `), bytes]) }),
  ],
};

export const metaData: Target = {
  name: 'meta-data',
  dictionary: ['instance-id', 'local-hostname', 'hostname', 'public-keys', 'dsmode', 'i-1'],
  corpus: () =>
    texts(
      META,
      '{"instance-id": "i-1", "local-hostname": "n.example"}',
      ...testTexts('src/agent/userdata/sources'),
    ),
  run: (bytes) =>
    planned({
      '/user-data': `## template: jinja\n${JOIN}hostname: '{{ ds.meta_data }}'\n`,
      '/meta-data': bytes,
    }),
};
