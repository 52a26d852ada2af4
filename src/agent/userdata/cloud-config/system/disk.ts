import { isAbsolute } from 'node:path/posix';
import { printable } from '../../../text/diagnostics.ts';
import type { Fields } from '../../../text/yaml/fields.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';
import { fieldsOf, isTrue, type SystemReader } from './system-reader.ts';

/** `growpart`: only where the user data or the image ask for it; images without cloud-init have systemd-repart. */
export const growPartitions: SystemReader<'growPartitions'> = {
  name: 'growPartitions',
  read(find, { report: diagnostics }) {
    const fields = fieldsOf(find, 'growpart', diagnostics);
    if (fields === undefined) return undefined;
    const node = fields.node('mode');
    const mode = node === undefined ? 'auto' : (pythonText(node)?.toLowerCase() ?? '');
    const devices = fields.node('devices') === undefined ? ['/'] : fields.texts('devices', true);
    fields.bool('ignore_growroot_disabled', false);
    fields.finish();
    if (['off', 'false'].includes(mode)) return undefined;
    if (!['auto', 'growpart'].includes(mode)) {
      fields.warn('mode', `the mode ${printable(mode)} is not supported on Linux; no partition is grown.`);
      return undefined;
    }
    const wrong = devices.find((device) => !device.startsWith('/'));
    if (wrong !== undefined)
      fields.wrong('devices', `${printable(wrong)} is neither a mount point nor a device.`);
    return { devices };
  },
};

/** `resize_rootfs`: true, false or noblock. */
export const growRoot: SystemReader<'growRoot'> = {
  name: 'growRoot',
  read(find, { report: diagnostics }) {
    const node = find('resize_rootfs');
    if (node === undefined) return undefined;
    const text = pythonText(node)?.trim().toLowerCase() ?? '';
    if (text === 'noblock') return { waits: false };
    if (isTrue(node)) return { waits: true };
    if (!/^(?:false|0|off|no|)$/.test(text))
      diagnostics.error('UserDataInvalid', 'resize_rootfs must be true, false or noblock.', node.where);
    return undefined;
  },
};

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
      fields.wrong('filename', 'filename must be an absolute path without spaces.');
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
