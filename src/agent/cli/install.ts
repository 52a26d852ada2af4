import { UsageError } from '../../kit/errors.ts';
import { createHost } from '../create-host.ts';
import type { Host } from '../host/host.ts';
import { checkImage, hasCaller } from '../install/check-image.ts';
import { install } from '../install/install.ts';
import { InstallError } from '../install/install-error.ts';
import { REPORT_UNITS } from '../install/layout.ts';
import { uninstall } from '../install/uninstall.ts';
import { requireRoot, rootOption, withUsageErrors } from './options/options.ts';
import { version } from './process/version.ts';

interface InstallFlags {
  root: string;
  shim?: boolean;
  service?: boolean;
  report?: boolean;
  check?: boolean;
}

/** `slipway install`: sets up this binary in an image; with `--check` lists what is right and what is wrong (status 1). */
export function installCommand(flags: InstallFlags): Promise<number> {
  return inImage(flags.root, async (host) => {
    const { shim = false, service, report } = flags;
    if (flags.check) return check(host);
    if (!shim && !service && !report)
      throw new UsageError(
        'set --shim (the image has cloud-init), --service (it has none), --report, or several of them; or --check',
      );
    if (host.root === '/') requireRoot('install into this machine', 'slipway install');
    const units = [
      ...(service ? (['slipway.service', 'slipway-network.service'] as const) : []),
      ...(report ? REPORT_UNITS : []),
    ];
    const { version: own } = version();
    if (process.platform === 'win32') {
      const { installOnWindows } = await import('../install/windows/install.ts');
      const wishes = { shim, service: service ?? false, report: report ?? false };
      return tell(await installOnWindows(host, { ...wishes, version: own, self: process.execPath }));
    }
    const status = tell(await install(host, { shim, units, version: own, self: process.execPath }));
    if (shim && !service && !(await hasCaller(host, process.execPath)))
      process.stderr.write(
        'slipway: warning: there is no enabled cloud-init here, and --shim takes effect only when something calls kubeadm.\n' +
          'For images in which Slipway itself reads the user data, run slipway install --service.\n',
      );
    return status;
  });
}

/** `slipway uninstall`: takes back what install has done. */
export function uninstallCommand(flags: { root: string; state?: boolean }): Promise<number> {
  return inImage(flags.root, async (host) => {
    if (host.root === '/') requireRoot('uninstall from this machine', 'slipway uninstall');
    const state = flags.state === true;
    const done =
      process.platform === 'win32'
        ? await (await import('../install/windows/install.ts')).uninstallOnWindows(host, state)
        : await uninstall(host, process.execPath, state);
    return tell(done.length > 0 ? done : ['nothing of Slipway is there']);
  });
}

async function check(host: Host): Promise<number> {
  const looks =
    process.platform === 'win32'
      ? await (await import('../install/windows/check-windows-image.ts')).checkWindowsImage(host)
      : await checkImage(host, process.execPath);
  tell(looks.map(({ ok, text }) => `${ok ? 'ok  ' : 'FAIL'}  ${text}`));
  return looks.every(({ ok }) => ok) ? 0 : 1;
}

function tell(lines: readonly string[]): number {
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function inImage(root: string, work: (host: Host) => Promise<number>): Promise<number> {
  return withUsageErrors(async () => {
    const host = createHost({ root: rootOption(root) });
    if ((await host.ownFiles.stat(host.root))?.kind !== 'directory')
      throw new UsageError(`--root ${root}: there is no such directory`);
    return work(host).catch((error: unknown) => {
      if (!(error instanceof InstallError)) throw error;
      if (error.done.length > 0) tell(error.done);
      throw new UsageError(error.message);
    });
  });
}
