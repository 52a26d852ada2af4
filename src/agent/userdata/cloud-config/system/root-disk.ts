import { printable } from '../../../text/diagnostics.ts';
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
      fields.warn('mode', `the mode ${printable(mode)} is not for Linux; nothing is grown.`);
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
