import type { Remarks } from './remarks.ts';

/** Checks of single values that both specs know, by the types of Ignition's config. Each gives a problem in words. */

const GUID = /^(?:|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/;
const UNIT_TYPES = /\.(?:service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/;
const HASH_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };
const LABEL_LENGTHS: Readonly<Record<string, number>> = { ext4: 16, btrfs: 256, xfs: 12, swap: 15, vfat: 11 };
const RAID_LEVELS = /^(?:linear|stripe|mirror|(?:raid)?(?:0|1|4|5|6|10))$/;

/** @param clean Demands that nothing in it could be left out. */
export function pathProblem(path: string | undefined, clean: boolean): string | undefined {
  if (clean && (path ?? '') === '') return 'has no path';
  if (!path?.startsWith('/')) return 'must be an absolute path';
  return clean && !isClean(path) ? 'must have no "//", "." or "..", and no "/" at its end' : undefined;
}

function isClean(path: string): boolean {
  return path === '/' || !/\/(?:\.{0,2}(?:\/|$))/.test(path);
}

/** Takes from a mode what Ignition leaves out of it, and says so: nobody is to get a program with root's rights by surprise. */
export function checkMode(node: { mode?: number }, isSpecial: boolean, say: Remarks): void {
  const { mode } = node;
  if (mode === undefined) return;
  if (mode < 0 || mode > 0o7777)
    say.error(node, ['mode'], 'is not a file mode (JSON has decimal numbers only: 420 is 0644)');
  else if (!isSpecial && (mode & 0o7000) !== 0) {
    const meant = String(mode);
    const hint = /^[0-7]{3}$/.test(meant)
      ? ` (JSON has decimal numbers only: 0${meant} is ${Number.parseInt(meant, 8)})`
      : '';
    const why = 'has setuid, setgid or sticky bits, which require spec 3.6; they are ignored';
    say.warn(node, ['mode'], `${why}${hint}`);
    node.mode = mode & 0o777;
  }
}

/** @param functions Hash functions that the spec knows. */
export function hashProblem(hash: string | undefined, functions: readonly string[]): string | undefined {
  if (hash === undefined) return undefined;
  const at = hash.indexOf('-');
  if (at < 0) return 'must be FUNCTION-SUM';
  const name = hash.slice(0, at);
  if (!functions.includes(name)) return `must be ${functions.join(' or ')}`;
  return hash.length - at - 1 === HASH_LENGTHS[name]
    ? undefined
    : `does not have the length of a ${name} hash`;
}

export function guidProblem(guid: string | undefined): string | undefined {
  return GUID.test(guid ?? '') ? undefined : 'is not a GUID (8-4-4-4-12 hexadecimal digits)';
}

export function unitNameProblem(name: string): string | undefined {
  return UNIT_TYPES.test(name) ? undefined : 'must end in a systemd unit type, such as .service';
}

export function dropInNameProblem(name: string): string | undefined {
  return name.endsWith('.conf') ? undefined : 'must end in .conf';
}

/** A label's length is counted in bytes. */
export function labelProblem(format: string, label: string): string | undefined {
  const most = LABEL_LENGTHS[format];
  if (most === undefined || Buffer.byteLength(label) <= most) return undefined;
  return `is longer than the ${most} characters that ${format} allows`;
}

export function partitionLabelProblem(label: string): string | undefined {
  return Buffer.byteLength(label) > 36 ? 'is longer than 36 characters' : undefined;
}

export function raidProblem(level: string, spares: number): string | undefined {
  if (!RAID_LEVELS.test(level)) return 'is not a known RAID level';
  return /^(?:linear|stripe|(?:raid)?0)$/.test(level) && spares !== 0 ? 'can have no spares' : undefined;
}

export function compressionProblem(compression = ''): string | undefined {
  return compression === '' || compression === 'gzip' ? undefined : 'must be gzip';
}
