import type { ContainerdSettings } from '../../../src/agent/document/node-settings.ts';
import { CONFIG_FILES } from '../../../src/agent/document/paths.ts';
import { loadSettings } from '../../../src/agent/settings/load-settings.ts';
import { describeProblem } from '../../../src/agent/settings/settings.ts';
import { ContainerdConfigError, mergeConfig } from '../../../src/agent/steps/containerd/merge-config.ts';
import { testTexts, texts } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';

const REPORT = `machine: {providerID: 'p://1'}
report:
  enabled: true
  idleTimeout: 30m
  nodeTimeout: 1h30m
  console: /dev/ttyS0
  journal: auto
  controller:
    endpoints: ['https://a.example:8443', 'https://b.example:8443']
    token: slwt.abcdefghij.0123456789
    tokenFile: /etc/slipway/token
    caFile: /etc/slipway/ca.pem
    proxy: http://user:pw@proxy.example:3128
    noProxy: .example
  webhook: {url: 'https://hook.example/x', headers: {Authorization: Bearer x}}
`;
const LINE =
  'BOOT_IMAGE=/vmlinuz root=/dev/vda slipway.report.controller.endpoints=https://a,https://b slipway.report.console=on quiet\n';

/** The reporter's settings: a file, and the kernel's command line. */
export const reportSettings: Target = {
  name: 'report-settings',
  dictionary: [
    'machine',
    'report',
    'controller',
    'webhook',
    'headers',
    'endpoints',
    'caFile',
    'slipway.',
    'slipway.report.',
    'auto',
    '1h90m',
    '=',
    '.',
  ],
  corpus: () => texts(REPORT, LINE, ...testTexts('src/agent/settings')),
  run: async (bytes) => {
    const host = memoryHost({
      [CONFIG_FILES.image]: REPORT,
      [`${CONFIG_FILES.dropIns}/10.yaml`]: bytes,
      '/proc/cmdline': bytes.subarray(0, 4096),
    });
    const { settings, problems } = await loadSettings(host);
    must(host.changed.length === 0, 'reading changes nothing');
    return { settings, told: problems.map(describeProblem) };
  },
};

const SETTINGS: ContainerdSettings = {
  cgroupDriver: 'systemd',
  sandboxImage: 'registry.example/pause:3.10',
  registries: [{ host: 'docker.io', skipVerify: false, mirrors: [] }],
};
const TOML = `version = 2
disabled_plugins = ["cri"]
oom_score = -999
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "a"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
[[x.y]]
a = 1979-05-27T07:32:00Z
b = [1, 2.5, "c", {d = 1}]
c = '''x
y'''
d = "\\u00e9"
`;

/** A machine's own configuration of containerd. */
export const containerdToml: Target = {
  name: 'containerd-toml',
  dictionary: [
    'version',
    'plugins',
    '[plugins]',
    '[[a]]',
    '"io.containerd.grpc.v1.cri"',
    'imports',
    'disabled_plugins',
    '= {',
    '"""',
    "'''",
    'a.b.c = 1',
    'inf',
    '1979-05-27',
    '07:32:00',
  ],
  corpus: () =>
    texts(
      TOML,
      TOML.replace('2', '3').replaceAll('grpc.v1.cri', 'cri.v1.images'),
      ...testTexts('src/agent/steps/containerd'),
    ),
  refuses: (error) => error instanceof ContainerdConfigError,
  run: (bytes) => {
    const merged = mergeConfig(bytes.toString('utf8'), SETTINGS, 2);
    const again = mergeConfig(merged.text ?? bytes.toString('utf8'), SETTINGS, 2);
    must(again.text === undefined, 'merging twice changes nothing');
    must(again.certsDir === merged.certsDir, 'the directory of registries stays');
    return merged;
  },
};
