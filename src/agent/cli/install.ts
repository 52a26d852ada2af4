import { join } from 'node:path';
import { BINARY } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { pathOption, UsageError, withUsage } from './options/options.ts';
import { unitFile } from './units.ts';

const SHIM = '/usr/local/bin/kubeadm';
const UNITS = '/etc/systemd/system';

export interface InstallFlags {
  root: string;
  shim?: boolean;
  service?: boolean;
  report?: boolean;
}

/** `slipway install`: puts this binary, the shim and the unit where they belong; run twice it changes nothing. */
export function installCommand(flags: InstallFlags): Promise<number> {
  return withUsage(async () => {
    if (!flags.shim && !flags.service && !flags.report)
      throw new UsageError(
        'give --shim (with cloud-init), --service (without), --report, or several of them',
      );
    const host = createLinuxHost({ root: pathOption('root', flags.root) });
    if ((await host.ownFiles.stat(host.root))?.kind !== 'directory')
      throw new UsageError(`--root ${flags.root}: there is no such directory`);
    if (flags.shim) await refuseForeignShim(host);
    const done = [await installBinary(host)];
    if (flags.shim) done.push(await installShim(host));
    if (flags.service) done.push(await installUnit(host, 'slipway.service', 'multi-user.target'));
    if (flags.report) done.push(await installUnit(host, 'slipway-report.service', 'sysinit.target'));
    process.stdout.write(`${done.join('\n')}\n`);
    return 0;
  });
}

async function installBinary(host: Host): Promise<string> {
  if ((await host.files.real(BINARY)) === process.execPath)
    return `${join(host.root, BINARY)} is this binary`;
  await host.files.write(BINARY, await host.ownFiles.read(process.execPath), {
    mode: 0o755,
    owner: 'root:root',
  });
  return `${join(host.root, BINARY)} written`;
}

/** Asked before anything is changed. @throws UsageError */
async function refuseForeignShim(host: Host): Promise<void> {
  if ((await host.files.stat(SHIM)) === undefined || (await isShim(host))) return;
  throw new UsageError(
    `${join(host.root, SHIM)} is there and is not Slipway; move the real kubeadm to /usr/bin first, where Slipway finds it`,
  );
}

async function isShim(host: Host): Promise<boolean> {
  const present = await host.files.stat(SHIM);
  return present?.kind === 'symlink' && (await host.files.readlink(SHIM)) === 'slipway';
}

async function installShim(host: Host): Promise<string> {
  if (await isShim(host)) return `${join(host.root, SHIM)} is there`;
  await host.files.symlink('slipway', SHIM);
  return `${join(host.root, SHIM)} -> slipway`;
}

async function installUnit(host: Host, name: string, wantedBy: string): Promise<string> {
  const path = `${UNITS}/${name}`;
  const wanted = `${UNITS}/${wantedBy}.wants/${name}`;
  await host.files.write(path, unitFile(name));
  if (!(await host.files.stat(wanted))) await host.files.symlink(`../${name}`, wanted);
  return `${join(host.root, path)} written and enabled`;
}
