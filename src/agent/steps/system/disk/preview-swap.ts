import { dirname } from 'node:path/posix';
import type { Diagnostic } from '../../../document/document.ts';
import type { SwapSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { machineToWarnOf, missingProgram, type PreviewContext, warningAt } from '../../kind/preview.ts';
import { kindAt } from '../../tools/places.ts';
import { mountedNow, typeAt } from './mounted-now.ts';

const MIB = 2 ** 20;
/** The kernel swaps to no file of these. */
const NEVER_SWAP = /^(?:tmpfs|ramfs|overlay|squashfs|zfs|nfs\d?|9p|virtiofs|fuse\b.*)$/;

/** A swap file that the machine has no program, no place or no room for. */
export async function previewSwap(
  specs: readonly SwapSettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const { document } = context;
  const { mounts, filesystems, disks, system } = document;
  const isMade = mounts.length + filesystems.length + disks.length > 0;
  const [swap] = specs;
  if (host === undefined || swap === undefined || isMade) return [];
  const warn = (message: string) => [warningAt(document, ['swap'], 'SystemSettingFailed', message)];
  const kind = await kindAt(host.files, swap.file);
  if (kind === 'directory') return warn(`${swap.file} is no file to swap to`);
  if (kind !== 'nothing') return [];
  for (const program of ['mkswap', ...(host.root === '/' ? ['swapon'] : [])]) {
    const missing = await missingProgram(host, document, ['swap'], program, 'it swaps to no file');
    if (missing.length > 0) return missing;
  }
  const mounted = await mountedNow(host);
  const type = mounted && typeAt(mounted, swap.file);
  const found =
    type !== undefined && NEVER_SWAP.test(type)
      ? warn(`${swap.file} lies on ${printable(type)}, where nothing can swap`)
      : [];
  // What grows before has more room then.
  if (system?.growPartitions || system?.growRoot || swap.size === 'auto') return found;
  const free = await freeBytes(host.files, dirname(swap.file));
  if (free === undefined || swap.size <= free) return found;
  const [size, left] = [swap.size, free].map((bytes) => Math.floor(bytes / MIB));
  return [
    ...found,
    ...warn(`${swap.file} is to have ${size} MiB, and there are ${left} MiB left where it is to lie`),
  ];
}

async function freeBytes(files: Host['files'], directory: string): Promise<number | undefined> {
  let place = directory;
  while (place !== '/' && (await kindAt(files, place)) !== 'directory') place = dirname(place);
  return (await files.space(place).catch(() => undefined))?.freeBytes;
}
