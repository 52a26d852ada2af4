import type { PackageSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';

type Argv = [string, ...string[]];
type Wanted = PackageSettings['wanted'][number];

/** How a package manager is told to do something, without a question to anybody. */
export interface PackageManager {
  program: string;
  env?: Readonly<Record<string, string>>;
  refresh?: Argv;
  upgrade: Argv;
  install(wanted: readonly Wanted[]): Argv;
}

const APT = [
  'apt-get',
  '--option=Dpkg::Options::=--force-confold',
  '--option=Dpkg::options::=--force-unsafe-io',
  '--option=DPkg::Lock::Timeout=300',
  '--assume-yes',
  '--quiet',
] as const;

/** A name and a version as each of them joins the two. */
const joined = (wanted: readonly Wanted[], between: string): string[] =>
  wanted.map(({ name, version }) => (version === undefined ? name : `${name}${between}${version}`));

function likeYum(program: string): PackageManager {
  return {
    program,
    refresh: [program, '-y', 'makecache'],
    upgrade: [program, '-y', 'upgrade'],
    install: (wanted) => [program, '-y', 'install', ...joined(wanted, '-')],
  };
}

/** The first that is there counts: it is the one that the machine's distribution is made of. */
const MANAGERS: readonly PackageManager[] = [
  {
    program: 'apt-get',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    refresh: [...APT, 'update'],
    upgrade: [...APT, 'dist-upgrade'],
    install: (wanted) => [...APT, 'install', ...joined(wanted, '=')],
  },
  {
    program: 'zypper',
    refresh: ['zypper', '--non-interactive', '--gpg-auto-import-keys', 'refresh'],
    upgrade: ['zypper', '--non-interactive', 'update'],
    install: (wanted) => [
      ...(['zypper', '--non-interactive', 'install', '--auto-agree-with-licenses'] as const),
      ...joined(wanted, '='),
    ],
  },
  likeYum('dnf'),
  likeYum('tdnf'),
  likeYum('yum'),
];

export async function managerOf(host: Host): Promise<PackageManager | undefined> {
  for (const manager of MANAGERS) if (await host.processes.which(manager.program)) return manager;
  return undefined;
}
