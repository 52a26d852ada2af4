import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';

/** PowerShell takes most of it to start. */
const LONGEST_MS = 20_000;
const MOST_BYTES = 1024 * 1024;

/** Classes of CIM, and what is asked of each instance (Microsoft's documentation of the CIMWin32 provider). */
const ASKED = {
  Win32_ComputerSystemProduct: ['IdentifyingNumber', 'UUID'],
  Win32_OperatingSystem: ['TotalVisibleMemorySize'],
  Win32_ComputerSystem: ['TotalPhysicalMemory'],
  Win32_Processor: ['NumberOfCores', 'NumberOfLogicalProcessors'],
  Win32_DiskDrive: [
    'DeviceID',
    'Model',
    'SerialNumber',
    'Size',
    'InterfaceType',
    'MediaType',
    'BytesPerSector',
  ],
  Win32_VideoController: ['Name', 'PNPDeviceID'],
  Win32_NetworkAdapter: ['NetConnectionID', 'MACAddress', 'NetConnectionStatus', 'PhysicalAdapter', 'Speed'],
} as const;

export type CimClass = keyof typeof ASKED;
export type CimInstance = Readonly<Record<string, unknown>>;

/** A class that cannot be asked costs nothing else. */
const SCRIPT = `$ErrorActionPreference='Stop';[Console]::OutputEncoding=[Text.Encoding]::UTF8;$r=@{};${Object.entries(
  ASKED,
)
  .map(
    ([name, fields]) => `try{$r.${name}=@(Get-CimInstance ${name}|Select-Object ${fields.join(',')})}catch{}`,
  )
  .join(';')};$r|ConvertTo-Json -Depth 3 -Compress`;

/**
 * What Windows tells of its hardware by CIM, by one call of PowerShell.
 *
 * @returns undefined where there is no PowerShell, as in Nano Server, or it says nothing that can be read
 */
export async function queryCim(host: Host): Promise<((name: CimClass) => CimInstance[]) | undefined> {
  const program = windowsProgram(host, 'WindowsPowerShell\\v1.0\\powershell.exe');
  const { stdout } = await host.processes.run({
    argv: [program, '-NoProfile', '-NonInteractive', '-Command', SCRIPT],
    timeoutMs: LONGEST_MS,
    keepBytes: MOST_BYTES,
  });
  let all: unknown;
  try {
    all = JSON.parse(stdout.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
  if (typeof all !== 'object' || all === null) return undefined;
  const found = all as Readonly<Record<string, unknown>>;
  return (name) => {
    const given = found[name];
    // One instance may come without its list.
    const list: unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
    return list.filter((one): one is CimInstance => typeof one === 'object' && one !== null);
  };
}
