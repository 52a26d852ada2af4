import { isAbsolute } from 'node:path/posix';
import type { Fields } from '../../../text/yaml/fields.ts';
import { fieldsOf, type SystemReader } from './system-reader.ts';

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

/** `swap`: a file to swap to. kubelet starts with swap only where its configuration says so. */
export const swap: SystemReader<'swap'> = {
  name: 'swap',
  read(find, { report }) {
    const fields = fieldsOf(find, 'swap', report);
    if (fields === undefined) return undefined;
    const file = fields.text('filename') ?? '/swap.img';
    if (!isAbsolute(file) || /\s/.test(file))
      fields.wrong('filename', 'filename must be an absolute path without blanks.');
    const size = sizeOf(fields, 'size');
    const most = sizeOf(fields, 'maxsize');
    fields.finish();
    if (size === undefined || size === 0) return undefined;
    fields.warn('size', 'kubelet does not start with swap unless its configuration allows it.');
    return { file, size, ...(typeof most === 'number' ? { mostBytes: most } : {}) };
  },
};

function sizeOf(fields: Fields, name: string): number | 'auto' | undefined {
  const text = fields.looseText(name)?.trim();
  if (text === undefined || text === '') return undefined;
  if (text.toLowerCase() === 'auto') return 'auto';
  const match = /^(\d+(?:\.\d+)?|\.\d+)([BKMGT]?)B?$/i.exec(text);
  const bytes = match && Number(match[1]) * (UNITS[(match[2] ?? '').toUpperCase()] ?? 1);
  if (bytes !== null && Number.isSafeInteger(Math.floor(bytes))) return Math.floor(bytes);
  fields.wrong(name, `${name} must be auto or a size, such as 512M.`);
  return undefined;
}
