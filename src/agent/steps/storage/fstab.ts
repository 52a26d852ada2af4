import type { MountEntry } from '../../document/document.ts';

/** How cloud-init marks its lines; the same mark, so that lines of an image made with it are replaced. */
const MARK = 'comment=cloudconfig';

export type FstabFields = [
  spec: string,
  file: string,
  type: string,
  options: string,
  freq: string,
  pass: string,
];

/** The fields of an entry that is to be in fstab; undefined for one that user data takes away. */
export function fieldsOf({
  fields: [spec, file, type, options, freq, pass],
}: MountEntry): FstabFields | undefined {
  return file === null ? undefined : [spec, file, type, options, freq, pass];
}

/** fstab with exactly these lines of ours; lines of others are kept as they are, in front. */
export function withMounts(fstab: string, mounts: readonly FstabFields[]): string {
  const others = linesOfOthers(fstab);
  return [...others, ...mounts.map(line)].map((text) => `${text}\n`).join('');
}

/** Do others have a line for this mount already? */
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
  return [escaped(spec), escaped(file), type, `${options},${MARK}`, freq, pass].join('\t');
}

/** White space in the first two fields, as fstab(5) wants it. */
function escaped(field: string): string {
  return field.replace(/[\\ \t\n]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
