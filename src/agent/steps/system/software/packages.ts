import type { PackageSettings } from '../../../document/system-settings.ts';
import type { StepContext } from '../../../engine/step.ts';
import type { Host } from '../../../host/host.ts';
import { lastLines } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const LONGEST_MS = 3_600_000;

/**
 * Upgrades and installs packages with the machine's own package manager (cloud-init's `cc_package_update_upgrade_install`).
 * Mirrors fail for a while: the step is tried again.
 */
export const installPackages: Work<PackageSettings> = ({ refresh, upgrade, wanted, reboots }) => ({
  onFailure: 'continue',
  run: (context) =>
    attempt(async () => {
      const { host, finding } = context;
      const manager = await managerOf(host);
      if (manager === undefined)
        throw new StepError(
          'ToolMissing',
          'No packages were installed: none of apt-get, dnf, tdnf, yum and zypper is there',
        );
      if (refresh && manager.refresh)
        await run(manager, manager.refresh, 'read the lists of packages anew', context);
      if (upgrade) await run(manager, manager.upgrade, 'upgrade the packages', context);
      if (wanted.length > 0) await install(manager, wanted, refresh, context);
      const needsReboot = await Promise.all(
        ['/run/reboot-required', '/run/reboot-needed'].map((path) => host.files.stat(path)),
      );
      if (reboots && needsReboot.some((found) => found !== undefined)) {
        const message =
          'The packages ask for a reboot, which Slipway leaves to power_state: a reboot now would cut the bootstrap off.';
        await finding({ severity: 'warning', code: 'SystemSettingFailed', message });
      }
      return wanted.map(({ name }) => name).join(' ') || 'done';
    }),
});

/** Installs what one of apt's own settings needs, where it is not there; as cloud-init does. */
export async function installForApt(program: string, name: string, context: StepContext): Promise<void> {
  if (await context.host.processes.which(program)) return;
  const manager = await managerOf(context.host);
  if (manager?.program !== 'apt-get')
    throw new StepError('ToolMissing', `Neither ${program} nor apt-get, which could install it, is there`);
  await installPrograms([name], context);
}

/** Installs packages that another setting needs. */
export async function installPrograms(names: readonly string[], context: StepContext): Promise<void> {
  const manager = await managerOf(context.host);
  if (manager === undefined) throw new StepError('ToolMissing', 'no package manager could install it');
  await install(
    manager,
    names.map((name) => ({ name })),
    false,
    context,
  );
}

/** The lists may be as old as the image: without them, a package is not found. */
async function install(
  manager: PackageManager,
  wanted: PackageSettings['wanted'],
  isFresh: boolean,
  context: StepContext,
): Promise<void> {
  const doing = 'install packages';
  try {
    await run(manager, manager.install(wanted), doing, context);
  } catch (error) {
    if (isFresh || !manager.refresh || !(error instanceof StepError) || context.signal.aborted) throw error;
    await run(manager, manager.refresh, 'read the lists of packages anew', context);
    await run(manager, manager.install(wanted), doing, context);
  }
}

async function run(
  { env = {} }: PackageManager,
  argv: [string, ...string[]],
  doing: string,
  { host, signal, output }: StepContext,
): Promise<void> {
  const result = await host.processes.run({
    argv,
    env: { LC_ALL: 'C', ...env },
    timeoutMs: LONGEST_MS,
    signal,
    onLine: output,
  });
  if (result.exitStatus === 0) return;
  const lines = lastLines(result);
  throw new StepError('PackagesNotInstalled', `Cannot ${doing}: ${lines.at(-1) ?? `${argv[0]} failed`}`, {
    exitStatus: result.exitStatus,
    lines,
  });
}

type Argv = [string, ...string[]];
type Wanted = PackageSettings['wanted'][number];

/** How a package manager is told to do something, without a question to anybody. */
interface PackageManager {
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

async function managerOf(host: Host): Promise<PackageManager | undefined> {
  for (const manager of MANAGERS) if (await host.processes.which(manager.program)) return manager;
  return undefined;
}
