import type { Document, Position, ReportEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';

type Need = { program: string; what: string; where?: Position | undefined };

/** Programs without which a disk of Ignition cannot be made, and nothing behind it is done. */
export async function missingTools(
  { root, processes }: Pick<Host, 'root' | 'processes'>,
  { partitionings = [], arrays = [], encryptions = [], bootCommands }: Document,
): Promise<ReportEntry[]> {
  // Disks are the machine's, which an image is not; commands of the boot run before.
  if (root !== '/' || bootCommands.length > 0) return [];
  const needs: Need[] = [
    ...partitionings
      .filter(({ wipe, partitions }) => wipe || partitions.length > 0)
      .map(({ device, where }) => ({ program: 'sfdisk', what: `partition ${device}`, where })),
    ...arrays.map(({ name, where }) => ({ program: 'mdadm', what: `make the array ${name}`, where })),
    ...encryptions.flatMap(({ name, clevis, where }) => [
      { program: 'cryptsetup', what: `encrypt ${name}`, where },
      ...(clevis ? [{ program: 'clevis', what: `bind ${name} to its keys`, where }] : []),
    ]),
  ];
  const found: ReportEntry[] = [];
  for (const { program, what, where } of needs) {
    if ((await processes.which(program)) !== undefined) continue;
    const message = `Cannot ${printable(what)}: the program ${program} is not on this machine`;
    found.push({ severity: 'error', code: 'ToolMissing', message, ...(where ? { where } : {}) });
  }
  return found;
}
