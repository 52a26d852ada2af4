import type { Host } from './host.ts';
import { windowsProgram } from './windows-program.ts';

const LONGEST_MS = 20_000;
/** `    Name    REG_SZ    value`, as reg.exe prints it. */
const VALUE = /^ {4}(\S.*?) {4}REG_([A-Z_]+) {4}(.*)$/;

/** What the firmware says of the machine, anew at each boot. */
export const BIOS = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\BIOS';

/** The firmware's table of the machine, as it is. */
export const SMBIOS = 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\mssmbios\\Data';

type Asked = Pick<Host, 'env' | 'processes'>;

/**
 * The values of a key of the registry by their names in lower case, numbers in decimal; none where there is no such key, or it
 * cannot be read.
 */
export async function readKey(host: Asked, key: string): Promise<ReadonlyMap<string, string>> {
  const program = windowsProgram(host, 'reg.exe');
  const { stdout } = await host.processes.run({ argv: [program, 'query', key], timeoutMs: LONGEST_MS });
  const found = new Map<string, string>();
  for (const line of stdout.split(/\r?\n/)) {
    const [, name, type, text = ''] = VALUE.exec(line) ?? [];
    if (name !== undefined)
      found.set(name.toLowerCase(), type === 'DWORD' ? String(Number(text)) : text.trim());
  }
  return found;
}

/** What a key and all below it call by this name. */
export async function readAll(host: Asked, key: string, name: string): Promise<string[]> {
  const argv = [windowsProgram(host, 'reg.exe'), 'query', key, '/s', '/v', name] as const;
  const { stdout } = await host.processes.run({ argv: [...argv], timeoutMs: LONGEST_MS });
  return stdout.split(/\r?\n/).flatMap((line) => VALUE.exec(line)?.[3]?.trim() || []);
}

/** @returns reg.exe's words where it cannot be set */
export async function setValue(
  host: Asked,
  { key, name, type, text }: { key: string; name: string; type: 'REG_SZ' | 'REG_EXPAND_SZ'; text: string },
): Promise<string | undefined> {
  const { exitStatus, stdout, stderr } = await host.processes.run({
    argv: [windowsProgram(host, 'reg.exe'), 'add', key, '/v', name, '/t', type, '/d', text, '/f'],
    timeoutMs: LONGEST_MS,
  });
  return exitStatus === 0 ? undefined : stderr.trim() || stdout.trim() || `reg.exe ended with ${exitStatus}`;
}
