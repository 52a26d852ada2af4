import { type Host, HostError } from '../../../host/host.ts';
import { windowsProgram } from '../../../host/windows-program.ts';
import { readKey } from '../../../host/windows-registry.ts';

interface Drive {
  /** `D:/`. */
  device: string;
  labels: readonly string[];
  /** Of a disc; absent for any other drive. */
  type?: 'iso9660';
}

/** What Windows has given letters to, in bytes: only it and administrators write there. */
const LETTERS = 'HKLM\\SYSTEM\\MountedDevices';
/** An optical drive's device: `\??\SCSI#CdRom&Ven_...`, and on IDE and most of SATA `\??\IDE#CdRomQEMU_QEMU_DVD-ROM_...`. */
const OPTICAL = /^\\\?\?\\\w+#CdRom/i;
const LONGEST_MS = 20_000;

/** Discs, which nobody writes to; the last drive first. */
export async function opticalDrives(host: Host): Promise<Drive[]> {
  return (await drivesOf(host)).filter(({ type }) => type !== undefined);
}

/**
 * Discs, and drives with one of these labels. On a fixed data drive Windows lets every user lay files, and only administrators
 * name it.
 */
export async function labelledDrives(host: Host, labels: readonly string[]): Promise<Drive[]> {
  const found: Drive[] = [];
  for (const drive of await drivesOf(host)) {
    const label = drive.type ?? (await labelAmong(host, drive.device.slice(0, 2), labels));
    if (label !== undefined) found.push(drive.type ? drive : { ...drive, labels: [label] });
  }
  return found;
}

/** The drives that Windows gives letters beside its own. One without a disc in it is passed over. */
async function drivesOf(host: Host): Promise<Drive[]> {
  const found: Drive[] = [];
  let letters: ReadonlyMap<string, string> | undefined;
  for (const letter of 'LKJIHGFED') {
    const device = `${letter}:/`;
    if (!(await host.files.stat(device).catch(absent))) continue;
    letters ??= await readKey(host, LETTERS);
    const bytes = letters.get(`\\dosdevices\\${letter.toLowerCase()}:`) ?? '';
    const name = Buffer.from(bytes, 'hex').toString('utf16le');
    found.push({ device, labels: [], ...(OPTICAL.test(name) ? { type: 'iso9660' } : {}) });
  }
  return found;
}

function absent(error: unknown): undefined {
  if (error instanceof HostError) return undefined;
  throw error;
}

/** cmd.exe tells the label within a sentence, in its own language. */
async function labelAmong(host: Host, drive: string, labels: readonly string[]): Promise<string | undefined> {
  const argv = [windowsProgram(host, 'cmd.exe'), '/d', '/c', 'vol', drive] as const;
  const { stdout, exitStatus } = await host.processes.run({ argv: [...argv], timeoutMs: LONGEST_MS });
  const words = stdout.split(/\r?\n/)[0]?.toLowerCase().split(/\s+/) ?? [];
  return exitStatus === 0 ? labels.find((label) => words.includes(label.toLowerCase())) : undefined;
}
