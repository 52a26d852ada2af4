import type { MountEntry } from '../../../document/document.ts';

/** cloud-init's mark for its lines. With the same mark, Slipway replaces such lines of an image. */
const MARK = 'comment=cloudconfig';

export type FstabFields = [
  spec: string,
  file: string,
  type: string,
  options: string,
  freq: string,
  pass: string,
];

/** The fields of a desired line in fstab; undefined for an entry that user data removes. */
export function fieldsOf({
  fields: [spec, file, type, options, freq, pass],
}: MountEntry): FstabFields | undefined {
  return file === null ? undefined : [spec, file, type, options, freq, pass];
}

/** fstab with exactly these lines of ours; other lines stay unchanged, in front. */
export function withMounts(fstab: string, mounts: readonly FstabFields[]): string {
  const others = linesOfOthers(fstab);
  return [...others, ...mounts.map(line)].map((text) => `${text}\n`).join('');
}

/** Tells whether somebody else's line mounts this already. */
export function isWithOthers(fstab: string, [spec, file]: FstabFields): boolean {
  const wanted = [escaped(spec), escaped(file)];
  return linesOfOthers(fstab)
    .map((text) => text.trim().split(/\s+/))
    .some((fields) => fields[0] === wanted[0] && fields[1] === wanted[1]);
}

function linesOfOthers(fstab: string): string[] {
  const lines = fstab
    .replace(/\n+$/, '')
    .split('\n')
    .filter((text) => !text.includes(MARK));
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}

function line([spec, file, type, options, freq, pass]: FstabFields): string {
  return [escaped(spec), escaped(file), type, `${options},${MARK}`, freq, pass].join('\t').trimEnd();
}

/** Escapes white space in the first two fields as fstab(5) requires. */
function escaped(field: string): string {
  return field.replace(/[\\ \t\n]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
