import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { needProgram } from '../host/need-program.ts';
import { runOk } from '../process/command.ts';
import { explainingApt, formatSources, hostAptSources, inSuite, SUITE } from './apt.ts';
import { DIES_WITH_US, inRootOk } from './in-root.ts';

type Say = (line: string) => void;

/**
 * What every machine has: the system, the container runtime with what kubeadm's preflight asks for, and etcd.
 * No xfsprogs: it depends on Python, which a machine without cloud-init must not have.
 */
const NODE_PACKAGES = [
  'systemd systemd-sysv dbus containerd runc containernetworking-plugins conntrack iptables ebtables ethtool socat',
  'iproute2 iputils-ping kmod procps ca-certificates curl openssl etcd-server etcd-client util-linux',
  'sudo gdisk fdisk e2fsprogs dosfstools less',
].flatMap((line) => line.split(' '));

/** What a machine with cloud-init has on top. Removed again for the others (`plainLayer`). */
const CLOUD_INIT_PACKAGES = ['cloud-init', 'python3-jinja2', 'cloud-guest-utils'];

/** The release of the image that the controller's is built on, whatever the machines are made of. */
const IMAGE_SUITE = 'bookworm';

/** Nothing in a lab reads manuals or translations: they would be a third of the root. */
const LEFT_OUT = [
  '/usr/share/man/*',
  '/usr/share/locale/*/LC_MESSAGES/*',
  '/usr/share/info/*',
  '/usr/share/doc/*',
];

/** The Debian root with everything, cloud-init included; about 500 MB, three minutes the first time. */
export async function fullRoot(say?: Say): Promise<string> {
  const packages = [...NODE_PACKAGES, ...CLOUD_INIT_PACKAGES];
  return cached(
    {
      name: 'debian',
      recipe: { suite: SUITE, packages, without: LEFT_OUT, version: 1 },
      make: async (dir) => {
        await bootstrap(dir, 'root', packages);
      },
    },
    say,
  ).then((dir) => join(dir, 'root'));
}

/**
 * Debian's smallest root as one archive, `rootfs.tar`: the packages of which the image `debian:bookworm-slim` is made, and
 * left out what that leaves out. About 100 MB, a minute the first time.
 */
export async function slimRootTar(say?: Say): Promise<string> {
  const dir = await cached(
    {
      name: 'debian-slim',
      recipe: { suite: IMAGE_SUITE, without: LEFT_OUT, version: 1 },
      make: (made) => bootstrap(made, 'rootfs.tar', [], undefined, IMAGE_SUITE),
    },
    say,
  );
  return join(dir, 'rootfs.tar');
}

/** What programs of arm64 need of that image, unpacked only, as nothing here runs it: `rootfs.tar`, 26 MB, in 16 s. */
export async function armLibrariesTar(say?: Say): Promise<string> {
  const packages = ['libc6', 'libstdc++6'];
  const dir = await cached(
    {
      name: 'debian-arm64',
      recipe: { suite: IMAGE_SUITE, packages, without: LEFT_OUT, version: 1 },
      make: (made) =>
        bootstrap(made, 'rootfs.tar', packages, ['--architectures=arm64', '--variant=extract'], IMAGE_SUITE),
    },
    say,
  );
  return join(dir, 'rootfs.tar');
}

/**
 * A root of any release of Debian: its essential packages, apt, `packages` and what these depend on, nothing else. About
 * 500 MB with npm, a minute the first time.
 */
export async function debianRoot(suite: string, packages: readonly string[], say?: Say): Promise<string> {
  const dir = await cached(
    {
      name: `debian-${suite}`,
      recipe: { suite, packages, without: LEFT_OUT, version: 1 },
      make: (made) => bootstrap(made, 'root', packages, undefined, suite),
    },
    say,
  );
  return join(dir, 'root');
}

/** Debian's essential packages, apt and `packages`, as the directory or the archive `dir/name`. */
async function bootstrap(
  dir: string,
  name: string,
  packages: readonly string[],
  variant: readonly string[] = ['--variant=minbase'],
  suite: string = SUITE,
): Promise<void> {
  needProgram('/usr/bin/mmdebstrap', 'mmdebstrap');
  const sources = `${dir}.sources`;
  await writeFile(sources, formatSources(inSuite(await hostAptSources(), suite)));
  try {
    const made = runOk(DIES_WITH_US[0], [
      ...DIES_WITH_US.slice(1),
      ...['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'mmdebstrap'],
      '--mode=root',
      ...variant,
      '--aptopt=Acquire::http::Pipeline-Depth "0"',
      '--aptopt=Acquire::Retries "3"',
      ...LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`),
      '--dpkgopt=force-unsafe-io',
      ...(packages.length > 0 ? [`--include=${packages.join(',')}`] : []),
      suite,
      join(dir, name),
      sources,
    ]);
    await explainingApt(made);
  } finally {
    await rm(sources, { force: true });
  }
}

/**
 * A layer that a script makes over `lower`: everything the script changed, and nothing else.
 * `network` lets it reach the package archive.
 */
export async function scriptedLayer(
  layer: { name: string; lower: string[]; script: string; network?: boolean },
  say?: Say,
): Promise<string> {
  const dir = await cached(
    {
      name: layer.name,
      recipe: { lower: layer.lower, script: layer.script, version: 1 },
      make: async (made) => {
        await inRootOk({
          what: `making the layer "${layer.name}"`,
          lower: layer.lower,
          upper: join(made, 'layer'),
          script: layer.script,
          env: { DEBIAN_FRONTEND: 'noninteractive' },
          network: layer.network === true,
        });
      },
    },
    say,
  );
  return join(dir, 'layer');
}

/** A layer over `fullRoot` in which cloud-init, and the Python it brought, is not there at all. */
export async function plainLayer(say?: Say): Promise<string> {
  const script = [
    `apt-mark auto ${CLOUD_INIT_PACKAGES.join(' ')} >/dev/null`,
    `apt-get -qy purge ${CLOUD_INIT_PACKAGES.join(' ')}`,
    // Somebody always suggests Python; nobody here asked for it.
    'apt-get -qy -o APT::AutoRemove::RecommendsImportant=0 -o APT::AutoRemove::SuggestsImportant=0 autoremove --purge',
    'rm -rf /etc/cloud /var/lib/cloud',
    'for left in cloud-init python3; do if command -v $left; then exit 1; fi; done',
  ].join('\n');
  return scriptedLayer({ name: 'plain', lower: [await fullRoot(say)], script }, say);
}
