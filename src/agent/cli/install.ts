import { resolve } from 'node:path';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { UsageError, withUsage } from './options.ts';
import { BINARY, SERVICE_UNIT } from './service-unit.ts';

const SHIM = '/usr/local/bin/kubeadm';
const UNIT = '/etc/systemd/system/slipway.service';
const WANTED = '/etc/systemd/system/multi-user.target.wants/slipway.service';

/** `slipway install`: puts this binary, the shim and the unit where they belong; run twice it changes nothing. */
export function installCommand(flags: { root: string; shim?: boolean; service?: boolean }): Promise<number> {
  return withUsage(async () => {
    if (!flags.shim && !flags.service)
      throw new UsageError('give --shim (with cloud-init), --service (without), or both');
    const host = createLinuxHost({ root: resolve(flags.root) });
    const done = [await installBinary(host)];
    if (flags.shim) done.push(await installShim(host));
    if (flags.service) done.push(await installService(host));
    process.stdout.write(`${done.join('\n')}\n`);
    return 0;
  });
}

async function installBinary(host: Host): Promise<string> {
  if ((await host.files.real(BINARY)) === process.execPath) return `${BINARY} is this binary`;
  await host.files.write(BINARY, await host.ownFiles.read(process.execPath), {
    mode: 0o755,
    owner: 'root:root',
  });
  return `${BINARY} written`;
}

async function installShim(host: Host): Promise<string> {
  const present = await host.files.stat(SHIM);
  if (present?.kind === 'symlink' && (await host.files.readlink(SHIM)) === 'slipway')
    return `${SHIM} is there`;
  if (present)
    throw new UsageError(`${SHIM} exists and is not Slipway; move the real kubeadm to /usr/bin first`);
  await host.files.symlink('slipway', SHIM);
  return `${SHIM} -> slipway`;
}

async function installService(host: Host): Promise<string> {
  await host.files.write(UNIT, SERVICE_UNIT);
  if (!(await host.files.stat(WANTED))) await host.files.symlink('../slipway.service', WANTED);
  return `${UNIT} written and enabled`;
}
