import { fieldsOf, type SystemReader } from './system-reader.ts';

/** `ca_certs` (once `ca-certs`): certificates of authorities to trust, and whether the image's are dropped. */
export const authorities: SystemReader<'authorities'> = {
  name: 'authorities',
  read(find, { report }) {
    const old = find('ca-certs');
    const fields = fieldsOf(find, find('ca_certs') === undefined && old ? 'ca-certs' : 'ca_certs', report);
    if (fields === undefined) return undefined;
    const replaces = fields.has('remove_defaults')
      ? fields.bool('remove_defaults', false)
      : fields.bool('remove-defaults', false);
    fields.node('remove-defaults');
    const trusted = fields.texts('trusted', true);
    if (!trusted.every((text) => text.includes('-----BEGIN ')))
      fields.wrong('trusted', 'trusted must contain PEM certificates, which begin with -----BEGIN.');
    fields.finish();
    return { replaces, trusted };
  },
};
