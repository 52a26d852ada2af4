import type { Document, ReportEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';
import { chooseService } from '../node/time/services.ts';
import { warnings } from './warnings.ts';

const ASK_MS = 5000;
/** More than anybody asks for; each is a process. */
const MOST = 64;

/** Programs and parts of the kernel that this machine has not. The node comes up without them, so each is a warning. */
export async function lackingServices(host: Host, document: Document): Promise<ReportEntry[]> {
  const { warn, found } = warnings(document);
  const { ntp, system, node } = document;
  if (ntp?.enabled) {
    const chosen = await chooseService(host, ntp);
    const packages = ntp.own?.packages ?? chosen?.service.packages ?? [];
    if (chosen === undefined)
      warn(
        'TimeSyncNotSetUp',
        'No time service is on this machine (systemd-timesyncd, chrony or ntp), and none is named to be installed',
        'ntp',
      );
    else if (ntp.client === undefined && ntp.own === undefined) {
      const { name } = chosen.service;
      const lost = [
        ...(ntp.peers?.length && name === 'systemd-timesyncd' ? ['peers'] : []),
        ...(ntp.allow?.length && name !== 'chrony' ? ['allow'] : []),
      ];
      if (lost.length > 0)
        warn(
          'TimeSyncNotSetUp',
          `ntp: ${lost.join(' and ')} will have no effect: the time service of this machine is ${name}`,
          'ntp',
        );
    } else if (!chosen.isInstalled && packages.length === 0)
      warn(
        'TimeSyncNotSetUp',
        `The time service ${printable(chosen.service.name)} is not on this machine, and no package is known that has it`,
        'ntp',
      );
  }
  const keys = system?.hostKeys;
  const needsKeygen =
    keys !== undefined &&
    (keys.made.length > 0 || keys.given.some((key) => key.privateKey && key.publicKey === undefined));
  if (needsKeygen && (await host.processes.which('ssh-keygen')) === undefined)
    warn(
      'ToolMissing',
      'The program ssh-keygen is not on this machine, so no host key is made',
      'ssh_keys',
      'ssh_genkeytypes',
      'ssh_deletekeys',
      'hostKeys',
    );
  for (const [code, message] of await ofKernel(host, node?.kernel)) warn(code, message, 'slipway', 'kernel');
  return found;
}

/** Nothing is loaded: modprobe only says what it would do. */
async function ofKernel(
  host: Host,
  kernel: { modules: string[]; sysctls: Record<string, string> } | undefined,
): Promise<[ReportEntry['code'], string][]> {
  if (kernel === undefined || host.root !== '/') return [];
  const found: [ReportEntry['code'], string][] = [];
  let isComplete = true;
  for (const name of kernel.modules.slice(0, MOST)) {
    if ((await host.files.stat(`/sys/module/${name.replaceAll('-', '_')}`)) !== undefined) continue;
    isComplete = false;
    const { exitStatus, timedOut, stderr } = await host.processes.run({
      argv: ['modprobe', '--dry-run', '--', name],
      env: { LC_ALL: 'C' },
      timeoutMs: ASK_MS,
    });
    if (!timedOut && exitStatus === 1 && /not found/.test(stderr))
      found.push(['KernelModuleNotLoaded', `There is no kernel module ${printable(name)} on this machine`]);
  }
  // A module that is still to be loaded brings settings of its own.
  if (!isComplete) return found;
  for (const name of Object.keys(kernel.sysctls).slice(0, MOST)) {
    // As in sysctl(8), a dot in a name is a slash in the path and vice versa.
    const path = `/proc/sys/${name.replace(/[./]/g, (sign) => (sign === '.' ? '/' : '.'))}`;
    if ((await host.files.stat(path).catch(() => undefined)) === undefined)
      found.push(['SysctlNotSet', `The kernel of this machine has no setting ${printable(name)}`]);
  }
  return found;
}
