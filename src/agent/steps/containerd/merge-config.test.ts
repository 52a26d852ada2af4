import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { ContainerdSettings, RegistrySettings } from '../../document/node-settings.ts';
import { registryFiles } from './containerd.ts';
import { ContainerdConfigError, mergeConfig } from './merge-config.ts';

const REGISTRY: RegistrySettings = { host: 'docker.io', skipVerify: false, mirrors: [] };
const ALL: ContainerdSettings = {
  cgroupDriver: 'systemd',
  sandboxImage: 'registry.example/pause:3.10',
  registries: [REGISTRY],
};
const NOTHING: ContainerdSettings = { registries: [] };

/** As in Debian's package. */
const DEBIAN = `version = 2

[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = "/usr/lib/cni"
      conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.internal.v1.opt"]
    path = "/var/lib/containerd"
`;

/** As in Docker's package. */
const DOCKER = 'disabled_plugins = ["cri"]\n\n#root = "/var/lib/containerd"\n';

describe('containerd configuration of version 2', () => {
  const merged = (text: string | undefined, settings = ALL, major = 1) => mergeConfig(text, settings, major);
  const parsed = (text: string | undefined, settings = ALL, major = 1) =>
    parse(merged(text, settings, major).text ?? '');

  test('gets the settings, and keeps all others', () => {
    expect(parsed(DEBIAN)).toEqual({
      version: 2,
      plugins: {
        'io.containerd.grpc.v1.cri': {
          cni: { bin_dir: '/usr/lib/cni', conf_dir: '/etc/cni/net.d' },
          sandbox_image: 'registry.example/pause:3.10',
          registry: { config_path: '/etc/containerd/certs.d' },
          containerd: {
            runtimes: { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: true } } },
          },
        },
        'io.containerd.internal.v1.opt': { path: '/var/lib/containerd' },
      },
    });
  });

  test('is not written again', () => {
    const { text } = merged(DEBIAN);
    expect(merged(text).text).toBeUndefined();
    expect(merged(DEBIAN, NOTHING).text).toBeUndefined();
  });

  test('is refused where its version is none, or it is nested deeper than can be written', () => {
    expect(() => merged('version={}')).toThrow('a version that is no whole number');
    expect(() => merged(`[${Array(1_500).fill('a').join('.')}]\n`)).toThrow(ContainerdConfigError);
  });

  test('keeps whole numbers whole, and others not', () => {
    const { text } = merged('version = 2\noom_score = -999\n[x]\nratio = 1.0\nbig = 9007199254740993\n');
    expect(text).toMatch(/^oom_score = -999$/m);
    expect(text).toMatch(/^ratio = 1\.0$/m);
    expect(text).toMatch(/^big = 9007199254740993$/m);
  });

  test('is made where there is none, and where only plugins are switched off', () => {
    expect(parsed(undefined)).toMatchObject({ version: 2 });
    expect(parsed('')).toMatchObject({ version: 2 });
    const docker = merged(DOCKER);
    expect(parse(docker.text ?? '')).toMatchObject({ version: 2, disabled_plugins: [] });
    expect(docker.notes).toEqual(['its version is now 2', 'its CRI plugin was disabled, and is enabled now']);
  });

  test('leaves what is no name among the plugins that are switched off', () => {
    expect(parsed('disabled_plugins = [[{}], "cri"]\n')).toMatchObject({ disabled_plugins: [[{}]] });
  });

  test('keeps a runtime type and a directory of registries', () => {
    const text =
      'version = 2\n[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]\nruntime_type = "mine"\n[plugins."io.containerd.grpc.v1.cri".registry]\nconfig_path = "/etc/certs.d:/etc/docker/certs.d"\n';
    expect(merged(text).certsDir).toBe('/etc/certs.d');
    expect(merged(text).text).toMatch(/runtime_type = "mine"/);
  });

  test.each([
    ['version = 3\n', 1, 'version 3, which containerd 1 does not read'],
    ['version = 7\n', 2, 'the version 7'],
    ['[plugins.cri]\n', 1, 'of version 1'],
    ['version = 2\nsecret = "hunter2\n', 1, 'not TOML at line 2, column'],
    ['version = 2\nplugins = 1\n', 1, 'plugins is not a table'],
    [
      'version = 2\n[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]\nendpoint = ["http://a"]\n',
      1,
      'in the older way',
    ],
    [
      'version = 2\n[plugins."io.containerd.grpc.v1.cri".registry.configs."a".tls]\nca_file = "/a"\n',
      1,
      'in the older way',
    ],
  ])('refuses %j', (text, major, wanted) => {
    const call = () => merged(text, ALL, major);
    expect(call).toThrow(ContainerdConfigError);
    expect(call).toThrow(wanted);
    expect(call).not.toThrow('hunter2');
  });

  test('may keep credentials beside certs.d', () => {
    const text =
      'version = 2\n[plugins."io.containerd.grpc.v1.cri".registry.configs."a".auth]\nusername = "u"\n';
    expect(merged(text).text).toMatch(/username = "u"/);
  });
});

describe('containerd configuration of version 3', () => {
  test('has two plugins', () => {
    const { text } = mergeConfig(undefined, ALL, 2);
    expect(parse(text ?? '')).toEqual({
      version: 3,
      plugins: {
        'io.containerd.cri.v1.images': {
          pinned_images: { sandbox: 'registry.example/pause:3.10' },
          registry: { config_path: '/etc/containerd/certs.d' },
        },
        'io.containerd.cri.v1.runtime': {
          containerd: {
            runtimes: { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: true } } },
          },
        },
      },
    });
  });

  test('containerd 2 goes on with version 2', () => {
    expect(mergeConfig(DEBIAN, ALL, 2).text).toMatch(/sandbox_image = "registry.example\/pause:3.10"/);
  });
});

describe('the files of a registry', () => {
  test('name mirrors, certificates and the server', () => {
    const files = registryFiles('/c', {
      ...REGISTRY,
      server: 'https://registry-1.docker.io',
      ca: 'CA',
      mirrors: [
        {
          url: 'https://mirror.example:5000/v2/hub',
          ca: 'MIRROR',
          skipVerify: false,
          overridePath: true,
          capabilities: ['pull'],
        },
        { url: 'http://other', skipVerify: true, overridePath: false, capabilities: ['pull', 'resolve'] },
      ],
    });
    expect(files.map(({ path }) => path)).toEqual([
      '/c/docker.io/slipway-mirror-1.crt',
      '/c/docker.io/slipway-ca.crt',
      '/c/docker.io/hosts.toml',
    ]);
    expect(parse(files[2]?.content ?? '')).toEqual({
      server: 'https://registry-1.docker.io',
      ca: '/c/docker.io/slipway-ca.crt',
      host: {
        'https://mirror.example:5000/v2/hub': {
          capabilities: ['pull'],
          override_path: true,
          ca: '/c/docker.io/slipway-mirror-1.crt',
        },
        'http://other': { capabilities: ['pull', 'resolve'], skip_verify: true },
      },
    });
    expect(Object.keys(parse(files[2]?.content ?? '').host ?? {})[0]).toContain('mirror.example');
  });
});
